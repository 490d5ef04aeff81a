// Covers apps/web/lists, apps/web/state, apps/web/actions: filters, the archive and selections of the list of sessions.
// @module-tag long
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enLists } from '../../apps/web/text/lists/en-lists.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage, type WatchedPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer, untilSession } from '../fixtures/server.ts';

const WAIT = { timeout: 30_000 };
const { filters: words, bulk } = enLists;
const NAMES = ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon'];

describe.skipIf(WITHOUT_BROWSER !== undefined)(`filters${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let watched: WatchedPage;
  let page: Page;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer();
    for (const name of NAMES) {
      const { session } = await it.client.openSession({ body: {} });
      await it.client.changeSession({ params: { id: session }, body: { title: name } });
      ids[name] = session;
    }
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

  const list = () => page.getByRole('navigation', { name: en.app.sessions });
  const row = (name: string) => list().getByRole('link', { name });
  /** The sessions of the list, in alphabetical order. */
  const shown = async () => {
    const found = await Promise.all(NAMES.map(async (name) => ((await row(name).count()) > 0 ? name : '')));
    return found.filter(Boolean);
  };
  const openForm = async (count: number) => {
    await page.getByRole('button', { name: en.lists.filters(count) }).click();
    return page.getByRole('dialog', { name: en.lists.filters(count) });
  };
  const bar = () => page.getByRole('toolbar', { name: bulk.label });
  const undo = (text: string) =>
    page.locator('.toast', { hasText: text }).getByRole('button', { name: en.sessions.undo });
  const viewOf = (name: string) => it.client.session({ params: { id: ids[name]! } });

  test('a filter is in the address, Back removes it, and an empty result offers to clear', async () => {
    await row('Alpha').waitFor();
    const form = await openForm(0);
    await expectAccessible(page, 'the filters');
    await form.getByRole('combobox', { name: words.state }).selectOption('failed');
    await page.getByText(words.none).waitFor();
    await expectAccessible(page, 'no session fits the filters');
    expect(new URL(page.url()).searchParams.get('state')).toBe('failed');
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByText(words.none).waitFor();
    await page.goBack();
    await row('Alpha').waitFor();
    expect(new URL(page.url()).searchParams.get('state')).toBeNull();
    await page.goForward();
    await page.getByRole('button', { name: words.clear }).click();
    await expect.poll(shown, WAIT).toEqual(NAMES);
  });

  test('filters are combined, and each is removed by its chip', async () => {
    const form = await openForm(0);
    await form.getByRole('combobox', { name: words.state }).selectOption('idle');
    await page.getByRole('dialog').getByRole('combobox', { name: words.period }).selectOption('older');
    await page.getByText(words.none).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: words.remove(words.periods.older) }).click();
    await page.getByText(words.found(5, false)).waitFor();
    await expectAccessible(page, 'a filtered list');
    await page.getByRole('button', { name: words.remove(en.state.idle) }).click();
    await page.getByRole('heading', { name: en.sessions.others }).waitFor();
    expect(await shown()).toEqual(NAMES);
  });

  test('the text of a search is in the address', async () => {
    await page.getByRole('searchbox').fill('Gamma');
    await expect.poll(shown, WAIT).toEqual(['Gamma']);
    expect(new URL(page.url()).searchParams.get('q')).toBe('Gamma');
    await page.reload();
    await expect.poll(shown, WAIT).toEqual(['Gamma']);
    await page.getByRole('searchbox').fill('');
    await expect.poll(shown, WAIT).toEqual(NAMES);
  });

  test('an archived session leaves the list for that of the archive, and the archive is left by its menu', async () => {
    await page.getByRole('button', { name: en.sessions.menu('Beta') }).click();
    await page.getByRole('menuitem', { name: en.lists.archive }).click();
    await expect.poll(shown, WAIT).toEqual(NAMES.filter((name) => name !== 'Beta'));
    const form = await openForm(0);
    await form.getByRole('checkbox', { name: words.archived }).check();
    await expect.poll(shown, WAIT).toEqual(['Beta']);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: en.sessions.menu('Beta') }).click();
    await page.getByRole('menuitem', { name: en.lists.unarchive }).click();
    await page.getByText(words.none).waitFor();
    await page.getByRole('button', { name: words.clear }).click();
    await expect.poll(shown, WAIT).toEqual(NAMES);
  });

  test(
    'Ctrl and Shift with a click select, and one undo restores all deleted sessions',
    { tags: ['long'] },
    async () => {
      await row('Alpha').click({ modifiers: ['Control'] });
      await bar().getByText(bulk.selected(1)).waitFor();
      // The latest change is first: Beta, Epsilon, Delta, Gamma, Alpha.
      await row('Delta').click({ modifiers: ['Shift'] });
      await bar().getByText(bulk.selected(3)).waitFor();
      await expectAccessible(page, 'a selection');
      await bar().getByRole('button', { name: bulk.remove }).click();
      await page.getByText(bulk.removed(3)).waitFor();
      await expect.poll(shown, WAIT).toEqual(['Beta', 'Epsilon']);
      await undo(bulk.removed(3)).click();
      await expect.poll(shown, WAIT).toEqual(NAMES);
    },
  );

  test('the keyboard selects a range; pin and archive apply to all of it', async () => {
    await page.keyboard.press('Escape');
    await row('Epsilon').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowDown');
    await bar().getByText(bulk.selected(2)).waitFor();
    await bar().getByRole('button', { name: bulk.pin, exact: true }).click();
    for (const name of ['Epsilon', 'Delta']) await untilSession(it.client, ids[name]!, ({ pinned }) => pinned);
    await page.getByRole('heading', { name: en.sessions.pinned }).waitFor();
    await row('Alpha').focus();
    await page.keyboard.press('Space');
    await bar().getByRole('button', { name: bulk.all }).click();
    await bar().getByText(bulk.selected(5)).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => bar().count(), WAIT).toBe(0);
    await row('Alpha').focus();
    await page.keyboard.press('Space');
    await bar().getByRole('button', { name: bulk.archive }).click();
    await expect.poll(async () => (await viewOf('Alpha')).archived, WAIT).toBe(true);
    await undo(bulk.archived(1)).click();
    await expect.poll(async () => (await viewOf('Alpha')).archived, WAIT).toBe(false);
  });
});
