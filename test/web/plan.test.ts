// Covers apps/web/review, apps/web/conversation: a plan on the page, and a command of the user.
import type { Script } from '@klaus/sdk';
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

/** Longer than the window. */
const PLAN = `# Two steps\n\n1. Read \`a.txt\`.\n2. Write **b.txt**.\n\n${'More about it.\n\n'.repeat(80)}`;
const EDITED = '# One step\n\n1. Write `c.txt`.\n';

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    {
      when: { turn: 0 },
      reply: { calls: [{ name: 'use_tool', input: { name: 'present_plan', input: { plan: PLAN } } }] },
    },
  ],
  fallback: { text: 'Started.' },
};

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `a plan on the page${WITHOUT_BROWSER === undefined ? '' : ` (${WITHOUT_BROWSER})`}`,
  () => {
    let browser: Browser;
    beforeAll(async () => {
      await provideWebPage();
      browser = await openBrowser();
    });
    afterAll(() => browser.close());

    test('is shown as Markdown, edited and accepted with a mode, here or elsewhere', { timeout: 240_000 }, async () => {
      using place = createTestHome();
      await using server = await startServer(SCRIPT);
      const { url, client, process } = await startServeProcess(place, server);
      const { session } = await client.openSession({ body: { text: 'plan it', mode: 'plan' } });
      const { page, complaints } = await openPage(browser, { url });
      await page.goto(`${url}/#/s/${session}`);
      const question = page.locator('[data-question]');
      await question.getByRole('heading', { name: 'Two steps' }).waitFor();
      expect(await question.locator('strong').allTextContents()).toEqual(['b.txt']);
      await expectAccessible(page, 'plan');
      await question.getByRole('button', { name: en.approval.edit, exact: true }).click();
      await question.getByRole('textbox', { name: en.approval.planText }).fill(EDITED);
      await question.getByLabel(en.approval.mode).selectOption('auto');
      // The edit is kept while another view is shown.
      await page.getByRole('link', { name: en.tabs.files }).click();
      await question.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: en.tabs.conversation }).click();
      await expect.poll(() => question.getByRole('textbox', { name: en.approval.planText }).inputValue()).toBe(EDITED);
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

      const other = await client.openSession({ body: { text: 'plan it', mode: 'plan' } });
      await page.goto(`${url}/#/s/${other.session}`);
      await question.getByRole('heading', { name: 'Two steps' }).waitFor();
      // As the terminal answers.
      const { approvals } = await client.approvals({ query: { session: other.session } });
      await client.answer({
        params: { id: approvals[0]!.id },
        body: { answer: 'approved', plan: EDITED, mode: 'ask' },
      });
      await page.getByText('Started.').waitFor();
      expect(await question.count()).toBe(0);
      // The scripted model uses the same id for this call, which the page remembers as open.
      await call.getByRole('button', { expanded: true }).waitFor();
      await call.getByRole('heading', { name: 'One step' }).waitFor();
      expect(complaints).toEqual([]);
      process.kill('SIGTERM');
      await process.ended;
    });
  },
);
