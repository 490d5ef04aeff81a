// Covers apps/web/gate: the decisions of the gate with filters, and remembered approvals.
import type { Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deChanges } from '../../apps/web/text/changes/de-changes.ts';
import { enChanges } from '../../apps/web/text/changes/en-changes.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

const t = enChanges.gate;
const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    {
      when: { turn: 0 },
      reply: {
        calls: [
          { name: 'list_dir', input: { path: '.' } },
          { name: 'run_command', input: { command: 'echo remembered' } },
          { name: 'read_file', input: { path: '../outside.txt' } },
        ],
      },
    },
  ],
  fallback: { text: 'Done.' },
};

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `the gate on the page${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    let browser: Browser & AsyncDisposable;
    let it: TestServer;
    let page: Page;
    let complaints: string[];
    let session: string;

    const rows = () => page.locator('.decision .call-name');

    beforeAll(async () => {
      await provideWebPage();
      it = await startTestServer({ script: SCRIPT });
      browser = await openBrowser();
      ({ page, complaints } = await openPage(browser, { url: it.server.url, token: it.server.token! }));
      await page.getByRole('heading', { name: en.home.title }).waitFor();
      ({ session } = await it.client.openSession({ body: { text: 'Look.', mode: 'ask' } }));
      await page.goto(`${it.server.url}/#/s/${session}`);
      const card = page.locator('[data-question]').first();
      await card.getByRole('combobox', { name: en.approval.scope }).selectOption('project');
      await card.getByRole('button', { name: en.approval.approve }).click();
      await page.locator('.end').waitFor();
      await page.goto(`${it.server.url}/#/s/${session}/gate`);
      await rows().first().waitFor();
    });
    afterAll(async () => {
      await browser?.close();
      await it?.[Symbol.asyncDispose]();
    });

    test('decisions are filtered by verdict, tool, rule and text, and say why in a sentence', async () => {
      const all = await rows().count();
      const tool = page.getByRole('combobox', { name: t.tool });
      await tool.selectOption('run_command');
      await expect.poll(async () => new Set(await rows().allTextContents())).toEqual(new Set(['run_command']));
      await rows().first().click();
      await page.getByText(t.why.ask(en.reasons.modeAsk)).first().waitFor();
      await tool.selectOption('');
      const rule = page.getByRole('combobox', { name: en.gate.rule });
      await rule.selectOption('mode');
      await expect.poll(() => rows().count()).toBeLessThan(all);
      await rule.selectOption('');
      await page.getByRole('searchbox', { name: t.text }).fill('OUTSIDE.txt');
      await expect.poll(async () => new Set(await rows().allTextContents())).toEqual(new Set(['read_file']));
      await page.getByRole('searchbox', { name: t.text }).fill('no such call');
      await page.getByText(en.gate.nothingShown).waitFor();
      await page.getByRole('searchbox', { name: t.text }).fill('');
      await expectAccessible(page, 'gate');
    });

    test('a remembered approval is revoked, and the call asks again', async () => {
      const remembered = page.getByRole('region', { name: t.remembered });
      await remembered.getByText('echo remembered').waitFor();
      expect((await it.client.remembered()).remembered).toHaveLength(1);
      await remembered.getByRole('button', { name: t.revoke }).click();
      await remembered.waitFor({ state: 'detached' });
      expect((await it.client.remembered()).remembered).toEqual([]);
      const next = await it.client.openSession({ body: { text: 'Look again.', mode: 'ask' } });
      await expect
        .poll(async () => (await it.client.session({ params: { id: next.session } })).questions)
        .toBeGreaterThan(0);
    });

    test('in German', async () => {
      const german = await openPage(browser, { url: it.server.url, token: it.server.token!, locale: 'de-DE' });
      await german.page.goto(`${it.server.url}/#/s/${session}/gate`);
      await german.page.getByRole('combobox', { name: deChanges.gate.tool }).waitFor();
      await german.page.close();
      expect(complaints).toEqual([]);
    });
  },
);
