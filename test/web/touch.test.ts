// Covers apps/web/style, apps/web/shell, apps/web/lists: touch targets and the bottom bar of a phone.
// @module-tag long
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { watch } from '../fixtures/page.ts';
import { follow, startTestServer, type TestServer } from '../fixtures/server.ts';

const WAIT = { timeout: 30_000 };
const { bar } = en.lists;

/**
 * Everything visible that can be touched and is smaller than 44 px. A box counts with its label, and a link in a text
 * is exempt, as in WCAG 2.5.5.
 */
const FIND_SMALL = `(() => {
  const parts = 'a[href], button, input, select, textarea, summary, [role=option], [role^=menuitem], [role=tab], [role=treeitem]';
  const open = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
  const found = [];
  for (const element of open.querySelectorAll(parts)) {
    const isBox = element.matches('input[type=checkbox], input[type=radio]');
    const target = isBox ? (element.closest('label') ?? element) : element;
    const { width, height, top, left } = target.getBoundingClientRect();
    const margins = isBox && target === element ? getComputedStyle(element) : undefined;
    const space = margins ? parseFloat(margins.marginTop) + parseFloat(margins.marginBottom) : 0;
    const style = getComputedStyle(target);
    if (width === 0 || height === 0 || style.visibility === 'hidden' || target.closest('.unseen, .skip')) continue;
    if (top >= innerHeight || left >= innerWidth || top + height <= 0) continue;
    if (element.matches('a') && style.display === 'inline' && target.closest('p, li, td, dd')) continue;
    if (element.matches('[tabindex="-1"][aria-hidden]')) continue;
    if (height + space < 43.5 || width + space < 43.5)
      found.push([element.tagName.toLowerCase() + '.' + element.className, Math.round(width), Math.round(height)].join(' '));
  }
  return [...new Set(found)];
})()`;

describe.skipIf(WITHOUT_BROWSER !== undefined)(`on a phone${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  let asking = '';
  let done = '';

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer({
      files: { 'a.txt': 'one\n' },
      script: {
        steps: [
          { when: { tools: false }, reply: { text: 'A title' } },
          { when: { user: 'ask', turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: 'true' } }] } },
          {
            when: { user: 'write', turn: 0 },
            reply: { calls: [{ name: 'write_file', input: { path: 'b.txt', content: 'two\n' } }] },
          },
        ],
        fallback: { text: 'An answer with `code` and **bold** words.' },
      },
    });
    asking = (await it.client.openSession({ body: { text: 'ask', mode: 'ask' } })).session;
    done = (await it.client.openSession({ body: { text: 'write', mode: 'auto' } })).session;
    for (const [id, type] of [
      [asking, 'approval.asked'],
      [done, 'run.finished'],
    ] as const) {
      const followed = follow(it.client, id);
      await followed.until(type);
      await followed.stop();
    }
    browser = await openBrowser();
    context = await browser.newContext({
      locale: 'en-GB',
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
      reducedMotion: 'reduce',
    });
    page = await context.newPage();
    complaints = watch(page);
    await page.goto(`${it.server.url}/#token=${it.server.token}`);
    await page.getByRole('textbox', { name: en.composer.label }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
    expect(complaints).toEqual([]);
  });

  const place = (name: string) => page.getByRole('navigation', { name: bar.label }).getByRole('button', { name });
  /** What is too small or too wide, by the name of the screen. */
  const found: Record<string, unknown> = {};
  const measure = async (name: string) => {
    const small = (await page.evaluate(FIND_SMALL)) as string[];
    if (small.length > 0) found[name] = small;
    if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) found[`${name}, width`] = 'too wide';
  };

  test('the emulation is that of a phone', async () => {
    expect(await page.evaluate("matchMedia('(pointer: coarse)').matches")).toBe(true);
  });

  test('everything that is touched is at least 44 px high and wide', { tags: ['long'] }, async () => {
    await page.locator('.session-row').nth(1).waitFor();
    await measure('start page');
    await page.getByRole('button', { name: en.lists.project('') }).tap();
    await page.getByRole('option').nth(1).waitFor();
    await measure('projects');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: en.lists.filters(0) }).tap();
    await page.getByRole('combobox').first().waitFor();
    await measure('filters');
    await page.keyboard.press('Escape');
    await page.locator('.session-row .menu-button').first().tap();
    await page.getByRole('menuitem').first().waitFor();
    await measure('menu of a session');
    await page.getByRole('menuitem', { name: en.lists.select }).tap();
    await page.getByRole('toolbar').waitFor();
    await measure('selection');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: en.composer.modelIs('') }).tap();
    await page.getByRole('option').nth(1).waitFor();
    await measure('models');
    await page.keyboard.press('Escape');
    await page.goto(`${it.server.url}/#/s/${asking}`);
    await page.locator('.approval').waitFor();
    await measure('question');
    await page.goto(`${it.server.url}/#/s/${done}`);
    await page.locator('.end').waitFor();
    await measure('conversation');
    await page.getByRole('link', { name: en.tabs.changes }).tap();
    await page.locator('.diff-added').first().waitFor();
    await measure('changes');
    await place(bar.more).tap();
    await page.getByRole('menuitem').first().waitFor();
    await measure('other views');
    await page.keyboard.press('Escape');
    for (const [hash, shown] of [
      ['usage', '.usage-table'],
      ['agents', 'main h1'],
      ['board', 'main h1'],
      ['guard', 'main h1'],
    ] as const) {
      await page.goto(`${it.server.url}/#/${hash}`);
      await page.locator(shown).first().waitFor();
      await measure(hash);
    }
    expect(found).toEqual({});
  });

  test('the bottom bar leads to the main views', async () => {
    await page.goto(`${it.server.url}/#/s/${done}`);
    await page.locator('.end').waitFor();
    expect(await place(bar.current).getAttribute('aria-current')).toBe('page');
    await page.getByRole('link', { name: en.tabs.changes }).tap();
    await expect.poll(() => page.url(), WAIT).toContain(`${done}/changes`);
    expect(await place(bar.current).getAttribute('aria-current')).toBe('page');
    // From any view to the pages beside the sessions, which the start page does not repeat.
    for (const [name, hash] of [
      [en.attention.board, '#/board'],
      [en.app.settings, '#/settings'],
    ] as const) {
      await place(bar.more).tap();
      await page.getByRole('menuitem', { name }).tap();
      await expect.poll(() => new URL(page.url()).hash, WAIT).toBe(hash);
    }
    await place(bar.sessions).tap();
    await page.locator('.session-row').first().waitFor();
    expect(await page.locator('.sidebar').getByText(en.app.settings, { exact: true }).isVisible()).toBe(false);
    await place(bar.current).tap();
    await expect.poll(() => new URL(page.url()).hash, WAIT).toBe(`#/s/${done}`);
    await place(bar.needsYou).tap();
    await expect.poll(() => page.url(), WAIT).toContain(asking);
    const field = page.getByRole('textbox', { name: en.composer.label });
    const untilFocused = async () => {
      const isFocused = () => field.evaluate((element) => element === element.ownerDocument.activeElement);
      await expect.poll(isFocused, WAIT).toBe(true);
    };
    await place(bar.new).tap();
    await untilFocused();
    // On the start page itself, too.
    await field.blur();
    await place(bar.new).tap();
    await untilFocused();
  });

  test('the bar ends at the bottom of the window, and a wide page has none', async () => {
    const box = (await page.getByRole('navigation', { name: bar.label }).boundingBox())!;
    expect(Math.round(box.y + box.height)).toBe(740);
    await page.setViewportSize({ width: 1_280, height: 740 });
    await expect.poll(() => page.getByRole('navigation', { name: bar.label }).count(), WAIT).toBe(0);
    await page.setViewportSize({ width: 360, height: 740 });
  });

  test('the keyboard of a phone hides the bar while the user types', async () => {
    await page.getByRole('textbox', { name: en.composer.label }).focus();
    await page.setViewportSize({ width: 360, height: 400 });
    await expect.poll(() => page.getByRole('navigation', { name: bar.label }).count(), WAIT).toBe(0);
    const box = (await page.locator('.composer').boundingBox())!;
    expect(box.y + box.height).toBeLessThanOrEqual(400);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole('navigation', { name: bar.label }).waitFor();
  });
});
