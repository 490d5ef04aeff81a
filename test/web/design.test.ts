// Covers apps/web: layout, type, themes and the sidebar.
import type { Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { en } from '../../apps/web/text/en.ts';
import { enLayout } from '../../apps/web/text/frame/en-layout.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, LOOKS } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

const PROSE = 'The quick brown fox jumps over the lazy dog while the agent reads files and writes answers. '.repeat(6);

const read = (path: string) => ({ name: 'read_file', input: { path } });

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { user: 'read', turn: 0 }, reply: { calls: [read('a.txt'), read('gone.txt')] } },
    { when: { user: 'read', turn: 1 }, reply: { calls: [read('b.txt')] } },
    { when: { user: 'read', turn: 2 }, reply: { text: PROSE } },
    {
      when: { user: 'write', turn: 0 },
      reply: { calls: [{ name: 'write_file', input: { path: 'c.txt', content: 'c\n' } }] },
    },
  ],
  fallback: { text: 'Fine.' },
};

/** Left and right edge of an element in pixels. */
const edges = (page: Page, selector: string): Promise<[left: number, right: number]> =>
  page.evaluate(`(({ left, right }) => [left, right])(document.querySelector('${selector}').getBoundingClientRect())`);

/** Characters in each line of the first paragraph of an answer, without the last line. */
const LINES = `(() => {
  const node = document.querySelector('.markdown > p').firstChild;
  const range = document.createRange();
  const lines = new Map();
  for (let at = 0; at < node.length; at++) {
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    const { top } = range.getBoundingClientRect();
    lines.set(top, (lines.get(top) ?? 0) + 1);
  }
  return [...lines.values()].slice(0, -1);
})()`;

const isWide = ({ viewport }: (typeof LOOKS)[number]) => viewport.width > 1_000;

describe.skipIf(WITHOUT_BROWSER !== undefined)(`the design of the page${WITHOUT_BROWSER ?? ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let page: Page;

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer({ script: SCRIPT, files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
    browser = await openBrowser();
    page = await browser.newPage({ locale: 'en-GB' });
    page.setDefaultTimeout(20_000);
    await page.goto(`${it.server.url}/#token=${it.server.token}`);
    await page.getByRole('heading', { name: en.home.title }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
  });

  async function open(text: string, mode: 'ask' | 'auto' = 'auto'): Promise<void> {
    const { session } = await it.client.openSession({ body: { text, mode } });
    await page.goto(`${it.server.url}/#/s/${session}`);
    await page.locator('.sidebar a[aria-current="page"]').waitFor();
  }

  test('consecutive reads are one row, also over turns, with the failed ones counted', async () => {
    await open('read');
    await page.locator('.end-good').waitFor();
    const facts = { read: 3, listed: 0, searched: 0, other: 0, failed: 1, durationMs: 0 };
    const group = page.getByRole('region', { name: enLayout.reads(facts) });
    await group.getByText(enLayout.readsFailed(1)).waitFor();
    const head = group.getByRole('button').first();
    expect(await head.getAttribute('aria-expanded')).toBe('false');
    expect(await page.locator('.call-name').count()).toBe(0);
    await head.click();
    await expect.poll(() => group.getByRole('article').count()).toBe(3);
  });

  test('prose has 68 to 76 characters in a line', async () => {
    const counts: number[] = await page.evaluate(LINES);
    expect(counts.length).toBeGreaterThan(3);
    const mean = counts.reduce((sum, each) => sum + each, 0) / counts.length;
    expect(mean).toBeGreaterThanOrEqual(68);
    expect(mean).toBeLessThanOrEqual(76);
  });

  test('conversation, banner and message field have the same edges', async () => {
    await open('write', 'ask');
    await page.locator('[data-question]').waitFor();
    for (const width of [1_280, 1_000, 360]) {
      await page.setViewportSize({ width, height: 700 });
      const column = await edges(page, '.composer');
      expect(await edges(page, '.approval'), `${width} px`).toEqual(column);
    }
    await page.setViewportSize({ width: 1_280, height: 800 });
  });

  test('the sidebar is resized with the keyboard, hidden and shown, and stays so', async () => {
    const edge = page.getByRole('separator', { name: enLayout.resizeSidebar });
    await edge.focus();
    await page.keyboard.press('ArrowRight');
    expect(await edge.getAttribute('aria-valuenow')).toBe('296');
    for (let at = 0; at < 5; at++) await page.keyboard.press('ArrowRight');
    expect(await edge.getAttribute('aria-valuenow')).toBe('320');
    expect((await edges(page, '.sidebar'))[1]).toBe(320);
    await page.keyboard.press('Control+b');
    await page.locator('.sidebar').waitFor({ state: 'hidden' });
    await page.reload();
    await page.getByRole('button', { name: enLayout.showSidebar }).click();
    await page.locator('.sidebar').waitFor();
    expect((await edges(page, '.sidebar'))[1]).toBe(320);
  });

  test('accent and high contrast are applied and stored', async () => {
    const accent = () => page.evaluate("getComputedStyle(document.querySelector('.brand-mark rect')).fill");
    const before = await accent();
    await page.keyboard.press('Control+,');
    await page.getByRole('button', { name: enLayout.accents.pine }).click();
    expect(await accent()).not.toBe(before);
    await page.getByRole('button', { name: en.preferences.themes.contrast }).click();
    await page.reload();
    await page.locator('.brand-mark').waitFor();
    expect(await page.evaluate('({ ...document.documentElement.dataset })')).toMatchObject({
      accent: 'pine',
      contrast: 'more',
    });
  });

  test(
    'every component passes axe in every theme, with every accent',
    { tags: ['long'], timeout: 300_000 },
    async () => {
      const openComponents = async () => {
        await page.goto(`${it.server.url}/#/design`);
        await page.getByRole('region', { name: 'Question' }).waitFor();
        await page.locator('.design .tok-keyword').first().waitFor();
      };
      await openComponents();
      for (const theme of ['system', 'contrast'] as const) {
        await page.keyboard.press('Control+,');
        await page.getByRole('button', { name: en.preferences.themes[theme] }).click();
        await openComponents();
        await expectAccessible(page, `components, ${theme}`, { height: 3_000 });
      }
      for (const accent of ['ember', 'plum', 'iris', 'pine'] as const) {
        await page.keyboard.press('Control+,');
        await page.getByRole('button', { name: en.preferences.themes.system }).click();
        await page.getByRole('button', { name: enLayout.accents[accent] }).click();
        await openComponents();
        await expectAccessible(page, `components, ${accent}`, { height: 3_000, looks: LOOKS.filter(isWide) });
      }
      expect(await page.getByRole('region', { name: 'Question' }).count()).toBe(1);
    },
  );

  test('the text font comes with the page', async () => {
    const fonts = await page.evaluate(
      "[...document.fonts].filter((it) => it.status === 'loaded').map((it) => it.family)",
    );
    expect(fonts).toContain('Inter Variable');
  });

  test('the icon of the tab shows that a session needs the user', async () => {
    const icon = () => page.evaluate("document.querySelector('link[rel=icon]').getAttribute('href')");
    await expect.poll(icon).toBe('/favicon-needs-you.svg');
    expect((await page.request.get(`${it.server.url}/favicon-needs-you.svg`)).status()).toBe(200);
  });
});
