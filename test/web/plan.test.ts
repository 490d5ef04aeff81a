// Covers apps/web/review, apps/web/conversation: a plan on the page, and a command of the user.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { en } from '../../apps/web/text/en.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { startServer } from '../fixtures/klaus.ts';
import { expectAccessible, openPage } from '../fixtures/page.ts';
import { test } from '../fixtures/sandboxed.ts';
import { startServeProcess } from '../fixtures/server.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const PLAN = '# Two steps\n\n1. Read `a.txt`.\n2. Write **b.txt**.\n';

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `a plan on the page${WITHOUT_BROWSER === undefined ? '' : ` (${WITHOUT_BROWSER})`}`,
  () => {
    let browser: Browser;
    beforeAll(async () => {
      await provideWebPage();
      browser = await openBrowser();
    });
    afterAll(() => browser.close());

    test('is shown as Markdown, edited and accepted with a mode', { timeout: 240_000 }, async () => {
      using place = createTestHome();
      await using server = await startServer({
        steps: [
          { when: { tools: false }, reply: { text: 'A title' } },
          {
            when: { turn: 0 },
            reply: { calls: [{ name: 'use_tool', input: { name: 'present_plan', input: { plan: PLAN } } }] },
          },
        ],
        fallback: { text: 'Started.' },
      });
      const { url, client, process } = await startServeProcess(place, server);
      const { session } = await client.openSession({ body: { text: 'plan it', mode: 'plan' } });
      const { page, complaints } = await openPage(browser, { url });
      await page.goto(`${url}/#/s/${session}`);
      const question = page.locator('[data-question]');
      await question.getByRole('heading', { name: 'Two steps' }).waitFor();
      expect(await question.locator('strong').allTextContents()).toEqual(['b.txt']);
      await expectAccessible(page, 'plan');
      await question.getByRole('button', { name: en.approval.edit, exact: true }).click();
      await question.getByRole('textbox', { name: en.approval.planText }).fill('# One step\n\n1. Write `c.txt`.\n');
      await question.getByLabel(en.approval.mode).selectOption('auto');
      await question.getByRole('button', { name: en.approval.approve }).click();
      await page.getByText('Started.').waitFor();
      expect(server.requests.some(({ body }) => body.includes('Write `c.txt`'))).toBe(true);
      await page.getByText(en.composer.modeNames.auto).first().waitFor();
      // What was accepted, and not what was presented.
      const call = page.getByRole('article', { name: 'present_plan' });
      await call.getByRole('button', { expanded: false }).click();
      await call.getByRole('heading', { name: 'One step' }).waitFor();
      expect(await call.getByRole('heading', { name: 'Two steps' }).count()).toBe(0);
      await client.shell({ params: { id: session }, body: { command: 'echo from the user' } });
      await page.getByText(en.call.byUser).waitFor();
      expect(complaints).toEqual([]);
      process.kill('SIGTERM');
      await process.ended;
    });
  },
);
