// Covers apps/web: labels, rows, empty states and headings that a new user sees first.
import type { Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enAgents } from '../../apps/web/text/en-agents.ts';
import { enBoard } from '../../apps/web/text/en-board.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage, type WatchedPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

const WAIT = { timeout: 30_000 };
const use = (name: string, input: Record<string, string>) => ({ name, input });
const usage = { input: 900, output: 60, cacheRead: 0, cacheWrite: 0 };

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    {
      when: { user: 'two steps', turn: 0 },
      reply: { text: 'I read it.', usage, calls: [use('read_file', { path: 'a.txt' })] },
    },
    { when: { user: 'two steps', turn: 1 }, reply: { text: 'All read.', usage } },
    {
      when: { user: 'write', turn: 0 },
      reply: {
        calls: [use('write_file', { path: 'a.txt', content: `${'x\n'.repeat(3)}` })],
      },
    },
  ],
  fallback: { text: 'Fine.' },
};

describe.skipIf(WITHOUT_BROWSER !== undefined)(`the first look${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer({ script: SCRIPT, files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
    browser = await openBrowser();
    watched = await openPage(browser, { url: it.server.url, token: it.server.token! });
    ({ page } = watched);
    await page.getByRole('heading', { name: en.home.title }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
    expect(watched?.complaints).toEqual([]);
  });

  const go = (hash: string) => page.goto(`${it.server.url}/#/${hash}`);
  const list = () => page.getByRole('navigation', { name: en.app.sessions });
  async function open(text: string, mode: 'ask' | 'auto' = 'auto'): Promise<string> {
    const { session } = await it.client.openSession({ body: { text, mode } });
    await go(`s/${session}`);
    await page.locator('.sidebar a[aria-current="page"]').waitFor();
    return session;
  }

  test('an empty list has one action, which leads to the message', async () => {
    await go('usage');
    await page.locator('.sidebar .empty').getByRole('button', { name: en.app.newSession }).click();
    await expect.poll(() => page.evaluate('document.activeElement.className'), WAIT).toContain('composer-field');
  });

  test('the places of the sidebar have words, also in the bar of a page of 320 px', async () => {
    const places = [en.attention.board, en.app.usage, en.app.guard, en.app.agents, en.app.palette, en.app.settings];
    for (const name of places) expect(await list().getByText(name, { exact: true }).isVisible(), name).toBe(true);
    await page.setViewportSize({ width: 320, height: 640 });
    await go('');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await page.getByRole('button', { name: en.lists.bar.more }).click();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(places);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1_280, height: 800 });
  });

  test('a run has one row of tools, and each session row the same columns with a cost of two decimals', async () => {
    await open('two steps');
    await page.locator('.end-good').waitFor();
    await page.getByText('All read.').waitFor();
    expect(await page.getByRole('button', { name: en.conversation.retryModel }).count()).toBe(1);
    const rows = page.locator('.sidebar .session-facts');
    await expect.poll(() => rows.count()).toBeGreaterThan(0);
    for (const row of await rows.all()) {
      expect(await row.locator(':scope > *').count()).toBe(3);
      expect(await row.locator('.session-cost').textContent()).toMatch(/^(?:< )?\$\d+\.\d\d$/);
    }
  });

  test('the board has its form behind a button', async () => {
    await go('board');
    const toggle = page.getByRole('button', { name: enBoard.start });
    await toggle.waitFor();
    expect(await page.getByRole('form').count()).toBe(0);
    await toggle.click();
    await page.getByRole('form', { name: enBoard.heading }).getByRole('textbox').waitFor();
    await expectAccessible(page, 'the board with its form');
    await toggle.click();
    await expect.poll(() => page.getByRole('form').count()).toBe(0);
  });

  test('an agent is started from its card', async () => {
    const body = { name: 'reader', description: 'Reads.', capabilities: ['file-operations'], systemPrompt: 'Read.' };
    await it.client.createAgent({ query: {}, body });
    await go('agents');
    const card = page.locator('.agent-row').filter({ hasText: 'reader' });
    await card.getByText(enAgents.capability['file-operations']).waitFor();
    await expectAccessible(page, 'the cards of agents');
    await card.getByRole('button', { name: enAgents.startWith('reader') }).click();
    await page.getByRole('button', { name: en.home.agent('reader') }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/');
  });

  test('the palette begins with the latest sessions, under headings', async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog', { name: en.palette.title });
    await dialog.getByText(en.palette.recent, { exact: true }).waitFor();
    await dialog.getByText(en.palette.actions, { exact: true }).waitFor();
    const [first] = await dialog.getByRole('option').allTextContents();
    const { sessions } = await it.client.sessions({ query: {} });
    expect(sessions.some(({ title }) => title !== null && first!.includes(title))).toBe(true);
    await expectAccessible(page, 'the palette with groups');
    await page.keyboard.press('Escape');
  });

  test('a hunk is not reviewed until the user decides, and the rest is rejected at once', async () => {
    await open('write', 'ask');
    await page.locator('[data-question]').getByRole('button', { name: en.approval.review }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('.hunk-word').first().waitFor();
    const states = () => dialog.locator('.hunk-word').allTextContents();
    expect(new Set(await states())).toEqual(new Set([en.approval.notReviewed]));
    await dialog.getByText(en.approval.summary(1, 1, { edited: 0, open: 1 })).waitFor();
    expect(await dialog.locator('.hunk-head [aria-pressed="true"]').count()).toBe(0);
    // No control has the focus: the keys act on the hunk.
    expect(await page.evaluate("document.activeElement.closest('button, input, a')")).toBeNull();
    await page.keyboard.press('x');
    await expect.poll(async () => new Set(await states())).toEqual(new Set([en.approval.rejected]));
    await page.keyboard.press('Escape');
  });
});
