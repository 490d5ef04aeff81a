// Covers apps/web: the main story by keyboard alone, as a screen reader reports it.
import type { Script } from '@klaus/sdk';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { en } from '../../apps/web/text/en.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { startServer } from '../fixtures/klaus.ts';
import { openPage } from '../fixtures/page.ts';
import { test } from '../fixtures/sandboxed.ts';
import { startScreenReader } from '../fixtures/screen-reader.ts';
import { startServeProcess } from '../fixtures/server.ts';
import { STORY_ENV } from '../fixtures/story.ts';
import { createTestHome } from '../fixtures/test-home.ts';

/** Attachments, saved prompts and the model are between the message and the approval mode. */
const TABS_TO_MODE = 4;

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: 'echo hello' } }] } },
    {
      when: { turn: 1 },
      reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'one\ntwo\n' } }] },
    },
  ],
  fallback: { text: 'Both are done.' },
};

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `a screen reader${WITHOUT_BROWSER === undefined ? '' : ` (${WITHOUT_BROWSER})`}`,
  () => {
    let browser: Browser;
    beforeAll(async () => {
      await provideWebPage();
      browser = await openBrowser();
    });
    afterAll(() => browser.close());

    test('a popup has the focus inside as soon as it is open', async () => {
      using place = createTestHome();
      await using server = await startServer(SCRIPT);
      const { url, process } = await startServeProcess(place, server, { env: STORY_ENV });
      const { page, complaints } = await openPage(browser, { url });
      await page.locator('textarea:focus').waitFor();
      /** Opens a popup, reads the focus before any other task of the browser runs, and closes the popup. */
      const readFirst = (selector: string) =>
        page.evaluate<string>(`(() => {
          const opener = document.querySelector(${JSON.stringify(`.composer-foot ${selector}`)});
          opener.focus();
          opener.click();
          const { ariaChecked, role, textContent } = document.activeElement;
          opener.popoverTargetElement.hidePopover();
          return [role, ariaChecked, textContent, document.activeElement === opener].join(' ');
        })()`);
      const { auto, plan } = en.composer.modeNames;
      const readMode = (name: string) => readFirst(`[aria-label="${en.composer.modeIs(name)}"]`);
      const row = (name: string, text: string) => `menuitemradio true ${name}${text} true`;
      expect(await readMode(auto)).toBe(row(auto, en.composer.modeTexts.auto));
      // The list of models begins with a text field.
      expect(await readFirst('[aria-haspopup=dialog]')).toBe('combobox   true');
      await page.getByRole('button', { name: en.composer.modeIs(auto) }).press('Enter');
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: en.composer.modeIs(plan) }).waitFor();
      // Another item is chosen now.
      expect(await readMode(plan)).toBe(row(plan, en.composer.modeTexts.plan));
      expect(complaints).toEqual([]);
      await page.close();
      process.kill('SIGKILL');
      await process.ended;
    });

    test('reports the main story in order, with the keyboard alone', { timeout: 240_000 }, async () => {
      using place = createTestHome();
      await using server = await startServer(SCRIPT);
      const { url, process } = await startServeProcess(place, server, { env: STORY_ENV });
      const { page, complaints } = await openPage(browser, { url });
      await page.getByRole('heading', { name: en.home.title }).waitFor();
      // The field takes the focus after it is drawn.
      await page.locator('textarea:focus').waitFor();
      const reader = await startScreenReader(page);
      const press = (keys: string) => page.keyboard.press(keys);
      const { transcript } = reader;
      const readFocus = () => reader.readFocus();
      expect(await readFocus()).toBe(`focus textbox: ${en.composer.label}`);

      // The approval mode is chosen before the first prompt.
      for (let tabs = 0; tabs < TABS_TO_MODE; tabs++) await press('Tab');
      expect(await readFocus()).toBe(`focus button: ${en.composer.modeIs(en.composer.modeNames.auto)}`);
      await press('Enter');
      await page.getByRole('menu').waitFor();
      await readFocus();
      for (let rows = 0; rows < 2; rows++) await press('ArrowDown');
      await readFocus();
      await press('Enter');
      await page.getByRole('button', { name: en.composer.modeIs(en.composer.modeNames.ask) }).waitFor();
      await readFocus();
      for (let tabs = 0; tabs < TABS_TO_MODE; tabs++) await press('Shift+Tab');
      await page.keyboard.type('do two things');
      await press('Enter');

      // The first question: approved with its key.
      const question = page.locator('[data-question]');
      await question.filter({ hasText: 'echo hello' }).waitFor();
      await readFocus();
      await press('Alt+a');
      await readFocus();
      await press('y');

      // The second one: approved with its button.
      await question.filter({ hasText: 'a.txt' }).waitFor();
      await readFocus();
      await press('Alt+a');
      await readFocus();
      while (!(await page.evaluate("document.activeElement.dataset.answer === 'approved'"))) await press('Tab');
      await readFocus();
      await press('Enter');
      await page.getByText('Both are done.').waitFor();
      await page.locator('.end-good').waitFor();
      await readFocus();
      const live = (words: string) => `live status: ${words}`;
      const { live: words } = en.conversation;
      await expect.poll(() => transcript).toContain(live(words.finished(en.facts.outcome.done)));
      expect(transcript).toContain(live(words.running));
      // Whether the page draws a short state depends on the machine.
      const shown = transcript.filter((line) => ![words.running, en.app.loading].map(live).includes(line));
      expect(shown.map((line) => line.replace(/ \d+ m?s$/, ''))).toEqual([
        `focus textbox: ${en.composer.label}`,
        `focus button: ${en.composer.modeIs(en.composer.modeNames.auto)}`,
        `focus menuitemradio: ${en.composer.modeNames.auto} ${en.composer.modeTexts.auto}`,
        `focus menuitemradio: ${en.composer.modeNames.ask} ${en.composer.modeTexts.ask}`,
        `focus button: ${en.composer.modeIs(en.composer.modeNames.ask)}`,
        live(words.needsYou(en.approval.runCommand)),
        `focus textbox: ${en.composer.label}`,
        `focus region: ${en.approval.runCommand}`,
        live(words.needsYou(en.approval.changeFiles(1))),
        `focus button: ${en.call.ok} run_command echo hello`,
        `focus region: ${en.approval.changeFiles(1)}`,
        `focus button: ${en.approval.approve}`,
        live(words.finished(en.facts.outcome.done)),
        `focus button: ${en.call.ok} write_file a.txt ${en.call.files(1)}`,
      ]);
      expect(complaints).toEqual([]);
      await page.close();
      process.kill('SIGKILL');
      await process.ended;
    });
  },
);
