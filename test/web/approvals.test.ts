// Covers apps/web/review, apps/web/diff, apps/web/files: what a user sees before an approval.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { de } from '../../apps/web/text/de.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { openPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

/** 20,000 lines, 1.6 MB. */
const LARGE = Array.from({ length: 20_000 }, (_, at) => `line ${at + 1} ${'x'.repeat(70)}\n`).join('');
const LAST = /^line 20000 x/;
const COMMAND = 'printf "only-once\\n"';

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    {
      when: { user: 'large', turn: 0 },
      reply: { calls: [{ name: 'write_file', input: { path: 'large.txt', content: LARGE } }] },
    },
    {
      when: { user: 'binary', turn: 0 },
      reply: { calls: [{ name: 'write_file', input: { path: 'logo.bin', content: 'a text\n' } }] },
    },
    {
      when: { user: 'small', turn: 0 },
      reply: { calls: [{ name: 'write_file', input: { path: 'small.txt', content: 'one\ntwo\n' } }] },
    },
    { when: { user: 'command', turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: COMMAND } }] } },
  ],
  fallback: { text: 'Fine.' },
};

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `approvals on the page${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    let browser: Browser & AsyncDisposable;
    let it: TestServer;
    let page: Page;
    let complaints: string[];

    beforeAll(async () => {
      await provideWebPage();
      it = await startTestServer({ script: SCRIPT, files: { 'logo.bin': 'a\0b' } });
      browser = await openBrowser();
      ({ page, complaints } = await openPage(browser, { url: it.server.url, token: it.server.token! }));
      await page.getByRole('heading', { name: en.home.title }).waitFor();
    });
    afterAll(async () => {
      await browser?.close();
      await it?.[Symbol.asyncDispose]();
    });

    /** Opens a session whose first call needs an approval. */
    async function ask(text: string): Promise<{ session: string; card: Locator }> {
      const { session } = await it.client.openSession({ body: { text, mode: 'ask' } });
      await page.goto(`${it.server.url}/#/s/${session}`);
      // Before that, the question of an earlier session may be shown.
      await page.locator(`.sidebar a[aria-current="page"][href$="${session}"]`).waitFor();
      const card = page.locator('[data-question]');
      await card.waitFor();
      return { session, card };
    }

    const path = (name: string) => join(it.place.workspace, name);
    const rows = (within: Locator) => within.getByRole('group', { name: en.approval.rows });
    const leaveField = () => page.locator('.conversation-scroll').focus();

    /** Scrolls a list of rows to its end. Rows get their height when they are rendered. */
    async function showEnd(list: Locator): Promise<void> {
      const last = list.getByText(LAST);
      await expect
        .poll(
          async () => {
            await list.evaluate((element) => (element.scrollTop = element.scrollHeight));
            return last.count();
          },
          { timeout: 30_000 },
        )
        .toBe(1);
      expect((await last.textContent())?.length).toBe(`line 20000 ${'x'.repeat(70)}`.length);
    }

    test('a new file of megabytes is shown to its last line, in place, in the review and in the changes', async () => {
      const { session, card } = await ask('write a large file');
      await card.getByText(/^line 1 x/).waitFor();
      await showEnd(rows(card));
      // The bar of the budget and the line about it agree, also beyond the limit.
      const [, percent] = /^(\d+) %/.exec((await page.locator('.fact.warn').last().textContent())!)!;
      expect(Number(percent)).toBeGreaterThan(100);
      const bar = await page.locator('.status .bar > .number').last().textContent();
      const [used, cap] = /^([\d,]+) tokens, limit ([\d,]+)$/
        .exec(bar!)!
        .slice(1)
        .map((text) => Number(text.replaceAll(',', '')));
      expect(Math.round((used! / cap!) * 100)).toBe(Number(percent));
      // Only rows near the viewport are in the page.
      expect(await page.locator('.diff-line').count()).toBeLessThan(200);
      await leaveField();
      await page.keyboard.press('Alt+h');
      const dialog = page.getByRole('dialog');
      await showEnd(rows(dialog).filter({ has: page.locator('.diff-line') }));
      await page.keyboard.press('Control+Enter');
      await expect.poll(() => existsSync(path('large.txt')), { timeout: 30_000 }).toBe(true);
      expect(readFileSync(path('large.txt'), 'utf8')).toBe(LARGE);
      await page.goto(`${it.server.url}/#/s/${session}/changes`);
      await showEnd(page.getByRole('group', { name: en.changes.title, exact: true }));
    });

    test('content that cannot be shown is accepted only by an explicit decision in the review', async () => {
      const before = readFileSync(path('logo.bin'));
      const { card } = await ask('replace a binary file');
      await card.getByRole('note').waitFor();
      expect(await card.locator('[data-answer="approved"]').count()).toBe(0);
      await leaveField();
      await page.keyboard.press('Alt+y');
      expect(await page.getByRole('dialog').count()).toBe(0);
      await page.keyboard.press('Alt+h');
      const dialog = page.getByRole('dialog');
      const submit = dialog.getByRole('button', { name: en.approval.submit });
      await dialog.getByText(en.approval.undecided).waitFor();
      await dialog.getByText(en.approval.summary(0, 1, { edited: 0, open: 0 })).waitFor();
      expect(await submit.isDisabled()).toBe(true);
      expect(await dialog.locator('.hunk-head [aria-pressed="true"]').count()).toBe(0);
      await page.keyboard.press('Control+Enter');
      expect(await dialog.isVisible()).toBe(true);
      expect(readFileSync(path('logo.bin'))).toEqual(before);
      await dialog.getByRole('button', { name: en.approval.acceptHidden }).click();
      await dialog.getByText(en.approval.summary(1, 1, { edited: 0, open: 0 })).waitFor();
      await submit.click();
      await page.locator('.end-good').waitFor();
      expect(readFileSync(path('logo.bin'), 'utf8')).toBe('a text\n');
    });

    test('a small change is in the card, and the keys of the answers do not differ by case only', async () => {
      const { card } = await ask('write a small file');
      await card.getByRole('heading', { name: en.approval.changeFiles(1) }).waitFor();
      expect(await card.locator('.diff-added .diff-code').allTextContents()).toEqual(['one', 'two']);
      // The link to the question is shown only while the question is out of view.
      await page.locator('.questions').waitFor({ state: 'detached' });
      const keys = await card.locator('kbd').allTextContents();
      expect(new Set(keys.map((key) => key.toLowerCase())).size).toBe(keys.length);
      await leaveField();
      await page.keyboard.press('Alt+n');
      await page.getByText(en.call.answer.rejected).first().waitFor();
      expect(existsSync(path('small.txt'))).toBe(false);
    });

    test(
      'a command is shown once, with the question in words and a reason in the language of the page',
      { tags: ['long'] },
      async () => {
        const { session, card } = await ask('run a command');
        await card.getByRole('heading', { name: en.approval.runCommand }).waitFor();
        expect(await page.locator('.conversation').getByText('only-once').count()).toBe(1);
        await card.getByText(en.reasons.modeAsk).waitFor();
        const german = await openPage(browser, { url: it.server.url, token: it.server.token!, locale: 'de-DE' });
        await german.page.getByRole('heading', { name: de.home.title }).waitFor();
        await german.page.goto(`${it.server.url}/#/s/${session}`);
        const asked = german.page.locator('[data-question]');
        await asked.getByText(de.reasons.modeAsk).waitFor();
        await asked.getByRole('button', { name: de.approval.reject }).click();
        await german.page.getByText(de.reasons.youRejected('run_command')).waitFor();
        expect(await german.page.locator('.session-page').textContent()).not.toMatch(/was denied|mode ask/);
        expect(await german.page.locator('.session-head .state-mark.bad').count()).toBe(0);
        expect(await german.page.locator('.sidebar [aria-current] .state-mark.bad').count()).toBe(0);
        await german.page.close();
        await page.getByText(en.reasons.youRejected('run_command')).waitFor();
        expect(complaints).toEqual([]);
      },
    );
  },
);
