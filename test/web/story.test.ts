// Covers apps/web, apps/server: a day with the page.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { de } from '../../apps/web/text/de.ts';
import { en } from '../../apps/web/text/en.ts';
import { openBrowser, WITHOUT_BROWSER, readDownload } from '../fixtures/browser.ts';
import { startServer } from '../fixtures/klaus.ts';
import { openPage, scrollToBeginning } from '../fixtures/page.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { test } from '../fixtures/sandboxed.ts';
import { startServeProcess, type ServeProcess } from '../fixtures/server.ts';
import { PROMPTS, STORY_ENV, STORY_FILES, STORY_SCRIPT, STORY_TOKENS } from '../fixtures/story.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';

/** Milliseconds, with time for a busy machine. */
const LIMIT = 240_000;

const SERVE = { env: STORY_ENV, words: ['--budget-tokens', `${STORY_TOKENS}`] };

const MERGE = 'src/merge-bookings.js';
const SLOTS = 'src/free-slots.js';

/** Reads files of the workspace. */
const toReader = (folder: string) => (path: string) => readFileSync(join(folder, path), 'utf8');

async function send(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: en.composer.label }).fill(text);
  await page.keyboard.press('Enter');
}

/** The content of a download. */
async function download(page: Page, press: () => Promise<void>): Promise<string> {
  const [it] = await Promise.all([page.waitForEvent('download'), press()]);
  return await readDownload(it);
}

/** Accepts the first hunk, edits the second and rejects the third by keyboard, with a restart of the server. */
async function review(page: Page, restart: () => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: en.approval.review }).click();
  await page.locator('.hunk-head').nth(2).waitFor();
  const paths = await page.locator('.rows-file h3').allTextContents();
  const keys = new Map([
    [MERGE, 'y'],
    [SLOTS, 'e'],
    ['README.md', 'n'],
  ]);
  for (const path of paths) {
    await page.keyboard.press(keys.get(path)!);
    if (path !== SLOTS) continue;
    const field = page.getByRole('dialog').getByRole('textbox').first();
    const text = await field.inputValue();
    await field.fill(text.replace('takes nothing away from it', 'changes nothing'));
    await page.getByRole('dialog').getByRole('button', { name: en.approval.editSave }).click();
    await page.keyboard.press('j');
  }
  await page.getByText(en.approval.summary(2, 3, { edited: 1, open: 0 })).waitFor();
  await restart();
  await page.getByText(en.approval.summary(2, 3, { edited: 1, open: 0 })).waitFor();
  await page.keyboard.press('Control+Enter');
}

/** Both exports contain the conversation. */
async function exportBoth(page: Page): Promise<void> {
  await page.locator('h1').click();
  const markdown = await download(page, () => page.keyboard.press('x'));
  for (const text of [PROMPTS.fix, 'The later end must win', 'Tests: 6 passed', 'Math.max']) {
    expect(markdown).toContain(text);
  }
  const json = await download(page, async () => {
    await page.locator('.session-head .menu-button').click();
    await page.getByRole('menuitem', { name: en.sessions.exportJson }).click();
  });
  const transcript = JSON.parse(json) as { messages: unknown[] };
  expect(JSON.stringify(transcript)).toContain(PROMPTS.fix);
  expect(JSON.stringify(transcript)).toContain('apply_patch');
}

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `a story in a browser${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    let browser: Browser & AsyncDisposable;
    beforeAll(async () => {
      await provideWebPage();
      browser = await openBrowser();
    });
    afterAll(async () => {
      await browser?.close();
    });

    test(
      'a prompt, tools, a change approved in part, a budget, an export in both formats and an undo',
      { timeout: LIMIT },
      async () => {
        using place = createTestHome(STORY_FILES);
        await using model = await startServer(STORY_SCRIPT);
        let serving: ServeProcess = await startServeProcess(place, model, SERVE);
        const port = new URL(serving.url).port;
        const read = toReader(place.workspace);
        const { page, complaints } = await openPage(browser, serving);
        try {
          // The page removes the token from the address.
          await page.getByRole('heading', { name: en.home.title }).waitFor();
          expect(page.url()).not.toContain('token');
          await send(page, PROMPTS.fix);
          const question = page.getByRole('heading', { name: en.approval.changeFiles(3) });
          await question.waitFor();
          // The list renders only what is in view; the link leads back to the question.
          await page.setViewportSize({ width: 1_280, height: 480 });
          await scrollToBeginning(page);
          await page.getByText('I look at the project first').waitFor();
          await page
            .getByText(en.call.tests(5, 1, 0))
            .first()
            .waitFor();
          await page.locator('.questions').click();
          await question.waitFor();
          await page.setViewportSize({ width: 1_280, height: 720 });
          await expect.poll(() => page.title(), { timeout: LIMIT / 4 }).toMatch(/^\(1\) /);
          expect(read(MERGE)).toBe(STORY_FILES[MERGE]);

          await review(page, async () => {
            serving.process.kill('SIGKILL');
            await serving.process.ended;
            await page.getByText(en.link.offline).waitFor();
            serving = await startServeProcess(place, model, { ...SERVE, words: [...SERVE.words, '--port', port] });
            await page.getByText(en.link.offline).waitFor({ state: 'detached' });
          });

          // A warning, then a question at the limit.
          await page.getByText(/^82 %/).waitFor();
          await page
            .getByText(/ used\. Allow .* more\?$/)
            .first()
            .waitFor();
          expect(read(MERGE)).toContain('Math.max(last.end, booking.end)');
          expect(read(SLOTS)).toContain('A booking inside a longer one changes nothing.');
          expect(read('README.md')).toBe(STORY_FILES['README.md']);
          expect(JSON.stringify(model.requests.at(-1)!.json)).toMatch(/\b1 of 3\b/);
          const { sessions } = await serving.client.sessions({ query: {} });
          expect(sessions).toMatchObject([{ state: 'needs-you', questions: 1 }]);
          await page.getByRole('button', { name: en.approval.approve, exact: true }).click();
          await page.locator('.end-good').waitFor();
          await page.getByText('Fixed: a short booking').waitFor();
          const { limits } = await serving.client.session({ params: { id: sessions[0]!.id } });
          expect(limits.tokens).toBeGreaterThan(STORY_TOKENS);

          await exportBoth(page);

          // A file changed outside of the session keeps its content.
          writeFileSync(join(place.workspace, MERGE), '// mine\n');
          await page.keyboard.press('Control+k');
          await page.getByRole('combobox').fill(en.keys.undo);
          await page.keyboard.press('Enter');
          await page.getByText(en.conversation.undoConflicts).waitFor();
          await page.getByRole('button', { name: en.conversation.undoKeep }).click();
          await page.getByText(en.conversation.undoneToast(1)).waitFor();
          expect(read(SLOTS)).toBe(STORY_FILES[SLOTS]);
          expect(read(MERGE)).toBe('// mine\n');
          await page.getByText(en.facts.kept(1)).waitFor();
          expect(complaints).toEqual([]);
        } finally {
          await page.close();
          serving.process.kill('SIGKILL');
          await serving.process.ended;
        }
      },
    );

    test('a rejected limit ends the run, and can be raised later', { tags: ['long'], timeout: LIMIT }, async () => {
      using place = createTestHome(STORY_FILES);
      await using model = await startServer(STORY_SCRIPT);
      const serving = await startServeProcess(place, model, {
        ...SERVE,
        env: { ...STORY_ENV, AGENT_REQUIRE_PATCH_APPROVAL: 'false' },
      });
      const { page, complaints } = await openPage(browser, serving);
      try {
        await page.getByRole('heading', { name: en.home.title }).waitFor();
        await send(page, PROMPTS.fix);
        await page
          .getByText(/ used\. Allow .* more\?$/)
          .first()
          .waitFor();
        await page.getByRole('button', { name: en.approval.reject, exact: true }).click();
        await page.locator('.end-warn').waitFor();
        const requests = model.requests.length;
        await page.getByRole('button', { name: en.facts.raise }).click();
        await page.locator('.end-good').waitFor();
        expect(model.requests.length).toBeGreaterThan(requests);
        expect(complaints).toEqual([]);
      } finally {
        await page.close();
        serving.process.kill('SIGKILL');
        await serving.process.ended;
      }
    });

    test('a paste of twenty thousand lines is attached, in German', { tags: ['long'], timeout: LIMIT }, async () => {
      using place = createTestHome(STORY_FILES);
      await using model = await startServer({ steps: [], fallback: { text: 'Fine.' } });
      const serving = await startServeProcess(place, model);
      const { page, complaints } = await openPage(browser, { url: serving.url, locale: 'de-DE' });
      try {
        await page.getByRole('heading', { name: de.home.title }).waitFor();
        const field = page.getByRole('textbox', { name: de.composer.label });
        await field.waitFor();
        await page.evaluate(`(() => {
          const element = document.querySelector('.composer-field');
          const data = new DataTransfer();
          data.setData('text/plain', 'pasted\\n'.repeat(20_000));
          element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
        })()`);
        await page.getByText(de.composer.pastedName(1)).waitFor();
        expect(await field.inputValue()).toBe('');
        await field.fill('Was ist @README');
        await page.getByRole('option', { name: '@README.md' }).click();
        expect(await field.inputValue()).toBe('Was ist @README.md ');
        await page.getByRole('button', { name: de.composer.send }).click();
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
