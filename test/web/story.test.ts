import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildWeb } from '../../scripts/web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { startServer } from '../fixtures/klaus.ts';
import { createPlace } from '../fixtures/place.ts';
import { startServeProcess } from '../fixtures/server.ts';

const SECRET = 'a-secret-of-the-test';

/** Milliseconds: axe looks at every screen four times, on a machine that may have other work. */
const LIMIT = 240_000;
const VALUES = Array.from({ length: 60 }, (_, at) => `export const value${at} = ${at};\n`).join('');
const FILES = { 'README.md': '# Story\n', 'src/values.js': VALUES };

const SCRIPT: Script = {
  steps: [
    {
      when: { turn: 0 },
      reply: {
        thinking: 'Two places.',
        text: 'I change **two** values.\n\n```js\nconst a = 1;\n```\n\n<img src=x onerror=alert(1)>',
        calls: [
          {
            name: 'edit_file',
            input: {
              path: 'src/values.js',
              edits: [
                { old: 'value3 = 3;', new: 'value3 = 33;' },
                { old: 'value40 = 40;', new: 'value40 = 44;' },
              ],
            },
          },
        ],
      },
    },
    { when: { turn: 1 }, reply: { text: 'One of them is in place.' } },
  ],
  fallback: { text: 'Fine.' },
};

/** What axe finds wrong with the page as it is, one line each. */
async function findViolations(page: Page): Promise<string[]> {
  // By the debugger: the page's own policy lets no script in.
  return (await page.evaluate(`(async () => {
    const module = undefined;
    ${axe.source};
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', '));
  })()`)) as string[];
}

/** Every look that a page has: both themes at both widths. */
const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1_280, 360].map((width) => ({ colorScheme, viewport: { width, height: 800 } })),
);

async function expectAccessible(page: Page, name: string): Promise<void> {
  for (const { colorScheme, viewport } of LOOKS) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize(viewport);
    expect(await findViolations(page), `${name}, ${colorScheme}, ${viewport.width} px`).toEqual([]);
    const isWider = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect(isWider, `${name} is wider than ${viewport.width} px`).toBe(false);
  }
  await page.setViewportSize({ width: 1_280, height: 800 });
}

/** What must never happen on any page: an error, or something that the content policy had to stop. */
function watch(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A connection that is refused is what the page is tested with.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) complaints.push(message.text());
  });
  return complaints;
}

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `the page in a browser${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    let browser: Browser & AsyncDisposable;
    beforeAll(async () => {
      await buildWeb();
      browser = await openBrowser();
    });
    afterAll(async () => {
      await browser?.close();
    });

    test(
      'a prompt, a change approved in part, a server that is killed, an undo and an export',
      { timeout: LIMIT },
      async () => {
        using place = createPlace(FILES);
        await using model = await startServer(SCRIPT);
        const words = ['--approve', 'ask', '--max-turns', '2'];
        let serving = await startServeProcess(place, model, { words });
        const page = await browser.newPage({ locale: 'en-GB' });
        page.setDefaultTimeout(30_000);
        const complaints = watch(page);
        try {
          // Who has no token is asked for it; the one of the address is taken out of it.
          await page.goto(serving.url);
          await page.getByLabel('Token').waitFor();
          await expectAccessible(page, 'sign in');
          await page.goto(`${serving.url}/#token=${SECRET}`);
          await page.reload();
          await page.getByRole('heading', { name: 'What is to be done?' }).waitFor();
          expect(page.url()).not.toContain(SECRET);
          await expectAccessible(page, 'start');

          // A prompt, and what the model says of it.
          await page.getByRole('textbox', { name: 'Message' }).fill('Change the values');
          await page.keyboard.press('Enter');
          await page.getByText('edit src/values.js').first().waitFor();
          await page.getByText('<img src=x onerror=alert(1)>').waitFor();
          expect(await page.locator('.markdown img').count()).toBe(0);
          await page.locator('.tok-keyword').first().waitFor();
          expect(await page.title()).toBe('(1) Klaus');
          await expectAccessible(page, 'question');

          // Only the keyboard: the second hunk is refused.
          await page.getByRole('button', { name: 'Review the change' }).click();
          await page.locator('.hunk-head').nth(1).waitFor();
          await expectAccessible(page, 'review');
          await page.keyboard.press('j');
          await page.keyboard.press('x');
          await page.getByText('1 of 2 hunks accepted').waitFor();

          // The server is gone in the middle of it, and comes back at the same address.
          const port = new URL(serving.url).port;
          serving.process.kill('SIGKILL');
          await serving.process.ended;
          await page.getByText('No connection to Klaus.').waitFor();
          serving = await startServeProcess(place, model, { words: [...words, '--port', port] });
          await page.getByText('No connection to Klaus.').waitFor({ state: 'detached' });
          await page.keyboard.press('Control+Enter');
          await page.getByText('1 of 2 hunks', { exact: false }).first().waitFor();
          await page.getByText('One of them is in place.').waitFor();
          await page.locator('.end').waitFor();
          const written = readFileSync(join(place.workspace, 'src/values.js'), 'utf8');
          expect(written).toBe(VALUES.replace('value3 = 3;', 'value3 = 33;'));

          // What the page says is what the log says.
          const { sessions } = await serving.client.sessions({ query: {} });
          const { id } = sessions[0]!;
          const { events } = await serving.client.log({ params: { id } });
          const shown = await page.locator('.entry').count();
          expect(events.filter(({ type }) => type === 'run.finished').length).toBe(1);
          expect(shown).toBe(
            new Set(
              await page
                .locator('.conversation-row')
                .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-index'))),
            ).size,
          );
          await page.getByText('% of the turn limit used', { exact: false }).waitFor();
          await expectAccessible(page, 'conversation');

          await page.keyboard.press('Escape');
          await page.locator('.tabs').getByText('Changes').click();
          await page.locator('.diff-added').getByText('value3 = 33').waitFor();
          await expectAccessible(page, 'changes');
          await page.locator('.tabs').getByText('Files').click();
          await page.getByRole('button', { name: 'src' }).click();
          await page.getByRole('button', { name: 'values.js' }).click();
          await page.locator('.file .tok-keyword').first().waitFor();
          await expectAccessible(page, 'files');
          await page.locator('.tabs').getByText('Gate').click();
          await page.locator('.decision').first().waitFor();
          await expectAccessible(page, 'gate');

          // Taken back and handed out, by the palette.
          await page.keyboard.press('Control+k');
          await page.getByRole('combobox').fill('undo');
          await expectAccessible(page, 'palette');
          await page.keyboard.press('Enter');
          await page.getByRole('dialog').getByText('src/values.js').waitFor();
          await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
          await page.getByText('1 path put back.').waitFor();
          expect(readFileSync(join(place.workspace, 'src/values.js'), 'utf8')).toBe(VALUES);
          const download = page.waitForEvent('download');
          await page.locator('h1').click();
          await page.keyboard.press('x');
          const exported = readFileSync(await (await download).path(), 'utf8');
          expect(exported).toContain('Change the values');
          expect(exported).toContain('One of them is in place.');

          await page.goto(`${serving.url}/#/usage`);
          await page.locator('.usage-table').waitFor();
          await expectAccessible(page, 'usage');
          expect(complaints).toEqual([]);
        } finally {
          await page.close();
          serving.process.kill('SIGKILL');
          await serving.process.ended;
        }
      },
    );

    test('a paste of twenty thousand lines is attached, and both languages are there', { timeout: LIMIT }, async () => {
      using place = createPlace(FILES);
      await using model = await startServer({ steps: [], fallback: { text: 'Fine.' } });
      const serving = await startServeProcess(place, model);
      const page = await browser.newPage({ locale: 'de-DE' });
      page.setDefaultTimeout(30_000);
      const complaints = watch(page);
      try {
        await page.goto(`${serving.url}/#token=${SECRET}`);
        await page.getByRole('heading', { name: 'Was ist zu tun?' }).waitFor();
        const field = page.getByRole('textbox', { name: 'Nachricht' });
        await page.evaluate(`(() => {
        const element = document.querySelector('.composer-field');
        const data = new DataTransfer();
        data.setData('text/plain', 'pasted\\n'.repeat(20_000));
        element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
      })()`);
        await page.getByText('eingefuegt-1.txt').waitFor();
        expect(await field.inputValue()).toBe('');
        await field.fill('Was ist @README');
        await page.getByRole('option', { name: '@README.md' }).click();
        expect(await field.inputValue()).toBe('Was ist @README.md ');
        await page.getByRole('button', { name: /^Senden/ }).click();
        await page.getByText('Fine.').first().waitFor();
        const request = JSON.stringify(model.requests[0]?.json);
        expect(request).toContain('Was ist @README.md');
        expect(request).toContain('pasted');
        expect(complaints).toEqual([]);
      } finally {
        await page.close();
        serving.process.kill('SIGKILL');
        await serving.process.ended;
      }
    });
  },
);
