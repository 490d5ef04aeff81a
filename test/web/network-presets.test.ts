// Covers apps/web/sessions, apps/web/settings: network presets of a new session.
// @module-tag long
import { NETWORK_PRESETS } from '@klaus/core/protocol';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { en } from '../../apps/web/text/en.ts';
import { enSettings } from '../../apps/web/text/settings/en-settings.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `network presets on the page${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    let browser: Browser & AsyncDisposable;
    let it: TestServer;
    let page: Page;
    let complaints: string[];

    const button = (names: string) => page.getByRole('button', { name: en.home.network(names) });
    const item = (name: string) => page.getByRole('menuitemcheckbox', { name });

    beforeAll(async () => {
      await provideWebPage();
      it = await startTestServer({ script: { steps: [], fallback: { text: 'Done.' } } });
      browser = await openBrowser();
      ({ page, complaints } = await openPage(browser, { url: it.server.url, token: it.server.token! }));
      await page.getByRole('heading', { name: en.home.title }).waitFor();
    });
    afterAll(async () => {
      await browser?.close();
      await it?.[Symbol.asyncDispose]();
    });

    test('are chosen by keyboard, several in the open menu, and are in the grant of the session alone', async () => {
      await button(en.home.noNetwork).focus();
      await page.keyboard.press('Enter');
      await item('npm').waitFor();
      await page.keyboard.press('Enter');
      await expect.poll(() => item('npm').getAttribute('aria-checked')).toBe('true');
      await item('GitHub').click();
      await item('PyPI').click();
      await item('PyPI').click();
      await expectAccessible(page, 'menu of network presets');
      await page.keyboard.press('Escape');
      await button('npm, GitHub').waitFor();

      await page.getByRole('textbox', { name: en.composer.label }).fill('Hello.');
      await page.keyboard.press('Enter');
      await page.locator('.end').waitFor();
      const { id } = (await it.client.sessions()).sessions[0]!;
      const opened = await it.klaus.handle(id).grants();
      const hosts = opened[0]!.grant.authorities.flatMap((one) => (one.kind === 'net' ? [[one.host, one.port]] : []));
      expect(hosts).toEqual([...NETWORK_PRESETS.npm, ...NETWORK_PRESETS.github].map((host) => [host, 443]));

      await page.goto(`${it.server.url}/#/`);
      await button(en.home.noNetwork).waitFor();
    });

    test('are listed with their hosts in the settings of the sandbox', { tags: ['long'] }, async () => {
      await page.goto(`${it.server.url}/#/settings/sandbox`);
      const row = page.getByRole('region', { name: enSettings.networkPresets }).getByRole('row');
      await row.filter({ hasText: NETWORK_PRESETS.crates.join(', ') }).waitFor();
      expect(await row.count()).toBe(Object.keys(NETWORK_PRESETS).length + 1);
      await expectAccessible(page, 'network presets in the settings');
      expect(complaints).toEqual([]);
    });
  },
);
