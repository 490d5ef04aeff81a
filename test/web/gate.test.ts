// Covers apps/web/gate: the decisions of the gate with filters, and approvals that are remembered or revoked there.
import type { Script } from '@klaus/sdk';
import type { SessionView } from '@klaus/server/contract';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deChanges } from '../../apps/web/text/changes/de-changes.ts';
import { enChanges } from '../../apps/web/text/changes/en-changes.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer, untilSession, untilState } from '../fixtures/server.ts';

const t = enChanges.gate;
const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { user: 'Echo', after: 'run_command' }, reply: { text: 'Done.' } },
    { when: { user: 'Echo' }, reply: { calls: [{ name: 'run_command', input: { command: 'echo scoped' } }] } },
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
      await remembered.getByRole('button', { name: t.revokeOf('echo remembered') }).click();
      await remembered.waitFor({ state: 'detached' });
      expect((await it.client.remembered()).remembered).toEqual([]);
      const next = await it.client.openSession({ body: { text: 'Look again.', mode: 'ask' } });
      await untilState(it.client, next.session, 'needs-you');
    });

    describe('an approval for this time', () => {
      let echo: string;
      const scopes = () => page.getByRole('group', { name: new RegExp(`^${t.scope}: `) });
      /** Runs the same command again. @returns True if it needed an approval, which is rejected then. */
      const asksAgain = async () => {
        await it.client.sendPrompt({ params: { id: echo }, body: { text: 'Echo.' } });
        const isIdle = ({ held, position, state }: SessionView) => !held && position === null && state !== 'running';
        await untilSession(it.client, echo, (session) => isIdle(session) || session.questions > 0);
        const { approvals } = await it.client.approvals({ query: { session: echo } });
        for (const { id } of approvals) await it.client.answer({ params: { id }, body: { answer: 'rejected' } });
        return approvals.length > 0;
      };

      beforeAll(async () => {
        ({ session: echo } = await it.client.openSession({ body: { text: 'Echo.', mode: 'ask' } }));
        await page.goto(`${it.server.url}/#/s/${echo}`);
        const card = page.locator('[data-question]').first();
        await card.getByRole('button', { name: en.approval.approve }).click();
        await page.locator('.end').waitFor();
        await page.goto(`${it.server.url}/#/s/${echo}/gate`);
        await page.locator('.decision', { hasText: en.call.verdict.allow }).locator('.call-head').first().click();
      });

      test('is allowed for the session by keyboard, and the call does not ask again', { tags: ['long'] }, async () => {
        await scopes().getByText('echo scoped').waitFor();
        const allow = scopes().getByRole('button', { name: t.change.session });
        await allow.focus();
        await page.keyboard.press('Enter');
        await page.getByRole('group', { name: `${t.scope}: ${en.approval.scopes.session}` }).waitFor();
        await page.getByText(t.changed.session).waitFor();
        // The button is gone, so that the focus is on the group that names the new scope.
        await expect.poll(() => scopes().evaluate((element) => element.matches(':focus'))).toBe(true);
        await page.getByRole('region', { name: t.ofSession }).getByText('echo scoped').waitFor();
        await expectAccessible(page, 'approval scope');
        expect(await asksAgain()).toBe(false);
      });

      test('is allowed in the project, and no longer for the session alone', async () => {
        await scopes().getByRole('button', { name: t.change.project }).click();
        await page.getByRole('region', { name: t.remembered }).getByText('echo scoped').waitFor();
        await page.getByRole('region', { name: t.ofSession }).waitFor({ state: 'detached' });
        expect((await it.client.remembered()).remembered).toMatchObject([{ remembered: { command: 'echo scoped' } }]);
      });

      test('is revoked, and the call asks again', async () => {
        await scopes().getByRole('button', { name: t.change.once }).click();
        await page.getByRole('region', { name: t.remembered }).waitFor({ state: 'detached' });
        expect((await it.client.remembered()).remembered).toEqual([]);
        expect(await asksAgain()).toBe(true);
      });
    });

    test('in German', { tags: ['long'] }, async () => {
      const german = await openPage(browser, { url: it.server.url, token: it.server.token!, locale: 'de-DE' });
      await german.page.goto(`${it.server.url}/#/s/${session}/gate`);
      await german.page.getByRole('combobox', { name: deChanges.gate.tool }).waitFor();
      await german.page.close();
      expect(complaints).toEqual([]);
    });
  },
);
