// Covers apps/web/children, apps/web/sessions: the agents of a session in the page.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';
import { spawn, startTeam, stepsOf, TEAM_FILES, WAIT, WRITER_STEPS } from '../fixtures/team.ts';

const STEPS = [
  ...stepsOf('lead', [{ calls: [spawn('reader'), spawn('writer')] }, { calls: [WAIT] }, { text: 'All is done.' }]),
  ...stepsOf('reader', [
    { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] },
    { text: 'The file has one line.' },
  ]),
  ...WRITER_STEPS,
];

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `agents of a session in the page${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    let browser: Browser & AsyncDisposable;
    let it: TestServer;
    let page: Page;
    let session: string;
    let writer: string;

    beforeAll(async () => {
      await provideWebPage();
      it = await startTestServer({
        files: TEAM_FILES,
        script: { price: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 }, steps: STEPS as never },
      });
      const started = await startTeam(it);
      session = started.session;
      writer = started.approval.session;
      browser = await openBrowser();
      page = await browser.newPage({ locale: 'en-GB', viewport: { width: 1280, height: 900 } });
      page.setDefaultTimeout(20_000);
      await page.goto(`${it.server.url}/#token=${it.server.token}`);
      await page.getByRole('heading', { name: en.home.title }).waitFor();
    });
    afterAll(async () => {
      await browser?.close();
      await it?.[Symbol.asyncDispose]();
    });

    const shoot = async (name: string) => {
      const folder = process.env['WEB_SHOTS'];
      if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
    };
    const open = async (hash: string) => {
      await page.goto('about:blank');
      await page.goto(`${it.server.url}/#/${hash}`);
    };
    const card = (agent: string) => page.getByRole('region', { name: en.children.label(agent) });
    const rows = () => page.locator('.sidebar .session-row');

    test('the list has the session of the user, and its agents only while it is open', async () => {
      await page.locator('.sidebar').getByText(en.children.count(2)).waitFor();
      await expect.poll(() => rows().count()).toBe(1);
      await expect.poll(() => page.title()).toMatch(/^\(1\) /);
      await shoot('home');
      await open(`s/${session}`);
      await expect.poll(() => rows().count()).toBe(3);
      expect(await page.locator('.session-below').count()).toBe(2);
    });

    test(
      'an agent is below its call, with its state, and its conversation is expanded with the keyboard',
      { tags: ['long'] },
      async () => {
        await open(`s/${session}`);
        const reader = card('reader').getByRole('button').first();
        await card('reader').getByText(en.facts.outcome.done).waitFor();
        await card('reader').getByText(en.children.turns(2)).waitFor();
        await page.getByText(en.children.waits(1)).waitFor();
        await shoot('asking');
        await page.setViewportSize({ width: 360, height: 800 });
        await shoot('narrow');
        await page.setViewportSize({ width: 1_280, height: 900 });
        await reader.focus();
        await page.keyboard.press('Enter');
        const conversation = page.getByRole('group', { name: en.children.conversation('reader') });
        await conversation.getByText('The file has one line.').waitFor();
        expect(await reader.getAttribute('aria-expanded')).toBe('true');
        await shoot('expanded');
        await expectAccessible(page, 'session with agents', { height: 1_600 });
      },
    );

    test('the session of an agent links to the one above it', { tags: ['long'] }, async () => {
      await open(`s/${session}`);
      await card('writer')
        .getByRole('link', { name: en.children.open('writer') })
        .click();
      const above = page.getByRole('navigation', { name: en.children.above });
      await page.getByText(en.children.asks('lead › writer')).waitFor();
      await shoot('child');
      await expectAccessible(page, 'session of an agent');
      await above.getByRole('link').click();
      await expect.poll(() => page.url()).toContain(session);
    });

    test(
      'a question of an agent is answered in the page of its parent, and both continue',
      { tags: ['long'] },
      async () => {
        await open(`s/${session}`);
        const question = card('writer').locator('[data-question]');
        await question.getByText(en.children.asks('lead › writer')).waitFor();
        await question.getByRole('button', { name: en.approval.approve }).click();
        await page.getByText('All is done.').waitFor();
        expect(existsSync(join(it.place.workspace, 'b.txt'))).toBe(true);
        await card('writer').getByText(en.children.state.closed).waitFor();
        await expect.poll(() => page.title()).not.toMatch(/^\(/);
        await shoot('done');
        await open(`s/${writer}`);
        await page.getByText(en.children.closed).waitFor();
        expect(await page.getByRole('textbox', { name: en.composer.label }).count()).toBe(0);
      },
    );
  },
);
