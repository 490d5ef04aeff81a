// Covers apps/web/composer, apps/web/sessions, apps/web/state, apps/server/handlers: the approval mode belongs to the user, not to a session.
import type { Mode } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage, type WatchedPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

describe.skipIf(WITHOUT_BROWSER !== undefined)(`the mode${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer({
      script: { steps: [{ when: { tools: false }, reply: { text: 'A title' } }], fallback: { text: 'Fine.' } },
    });
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

  const button = (mode: Mode) => page.getByRole('button', { name: en.composer.modeIs(en.composer.modeNames[mode]) });
  const choose = async (from: Mode, to: Mode) => {
    await button(from).click();
    await page
      .getByRole('menuitemradio', { name: `${en.composer.modeNames[to]} ${en.composer.modeTexts[to]}` })
      .click();
    await button(to).waitFor();
  };
  const openNew = async () => {
    await page.getByLabel(en.app.newSession).first().click();
    await page.getByRole('heading', { name: en.home.title }).waitFor();
  };
  const send = async (text: string) => {
    await page.getByRole('textbox', { name: en.composer.label }).fill(text);
    await page.keyboard.press('Enter');
    await page.getByText('Fine.').first().waitFor();
  };
  const colorOf = (mode: Mode) =>
    page.evaluate(`getComputedStyle(document.querySelector('.mode-${mode} .menu-button')).color`);

  test('a new session and a reload keep what was chosen for a new session', async () => {
    await choose('auto', 'ask');
    await send('one');
    await button('ask').waitFor();
    await openNew();
    await page.getByRole('heading', { name: en.home.title }).waitFor();
    await button('ask').waitFor();
    await page.reload();
    await button('ask').waitFor();
    await send('two');
    const { sessions } = await it.client.sessions({ query: {} });
    expect(sessions.map(({ mode }) => mode)).toEqual(['ask', 'ask']);
  });

  test('what is chosen in a session is for the next ones, and for a terminal', async () => {
    await choose('ask', 'plan');
    await openNew();
    await button('plan').waitFor();
    await expect.poll(async () => (await it.klaus.startMode()).mode).toBe('plan');
  });

  test('what is chosen in a terminal is for the page', async () => {
    await it.klaus.chooseMode('ask', { by: 'cli' });
    await page.reload();
    await button('ask').waitFor();
    expect(await button('plan').count()).toBe(0);
  });

  test('every mode has a colour', async () => {
    const colors = [await colorOf('ask')];
    await choose('ask', 'plan');
    colors.push(await colorOf('plan'));
    await choose('plan', 'auto');
    colors.push(await colorOf('auto'));
    expect(new Set(colors).size).toBe(3);
    await expectAccessible(page, 'mode');
  });
});
