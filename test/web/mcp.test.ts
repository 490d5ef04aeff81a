// Covers apps/web/composer, apps/web/review, apps/server/handlers, core/protocol/messages: prompts and questions of MCP servers on the page.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { en } from '../../apps/web/text/en.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { ofType } from '../fixtures/engine.ts';
import { runKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { expectAccessible, ONE_LOOK, openPage } from '../fixtures/page.ts';
import { startServeProcess } from '../fixtures/server.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { toEntry } from '../mcp/open-session.ts';

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { after: 'use_tool' }, reply: { text: 'Done.' } },
    {
      when: { user: 'ask me' },
      reply: { calls: [{ name: 'use_tool', input: { name: 'mcp__one__ask', input: { how: 'form' } } }] },
    },
  ],
  fallback: { text: 'Done.' },
};
const ENV = { KLAUS_SANDBOX: 'host' };

/** The user has the server of the tests in all projects. */
function addServer({ home }: TestHome): void {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'mcp.json'), JSON.stringify({ mcpServers: { one: toEntry() } }));
}

async function readAnswers(place: TestHome, session: string) {
  const { stdout } = await runKlaus(['show', session, '--json'], { place });
  return ofType(toEvents(stdout), 'approval.answered');
}

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `MCP servers on the page${WITHOUT_BROWSER === undefined ? '' : ` (${WITHOUT_BROWSER})`}`,
  () => {
    let browser: Browser;
    beforeAll(async () => {
      await provideWebPage();
      browser = await openBrowser();
    });
    afterAll(() => browser.close());

    test(
      'a form is filled in, with a wrong value first, and another one is declined',
      { timeout: 180_000 },
      async () => {
        using place = createTestHome();
        addServer(place);
        await using server = await startServer(SCRIPT);
        const { url, client, process } = await startServeProcess(place, server, { env: ENV });
        const ask = async (): Promise<string> =>
          (await client.openSession({ body: { text: 'ask me', mode: 'auto' } })).session;
        const first = await ask();
        const { page, complaints } = await openPage(browser, { url });
        await page.goto(`${url}/#/s/${first}`);
        const question = page.locator('[data-question]');
        await question.getByRole('heading').waitFor();
        await question.getByText(en.reasons.toolWaits).waitFor();
        await expectAccessible(page, 'form of an MCP server', { looks: ONE_LOOK });
        const { approvals } = await client.approvals({ query: { session: first } });
        const params = { id: approvals[0]!.id };
        for (const content of [{}, { name: 'A' }, { name: 'Ada', other: 1 }] as Record<string, string | number>[]) {
          const answered = client.answer({ params, body: { answer: 'approved', content } });
          await expect(answered).rejects.toMatchObject({ problem: { code: 'usage' } });
        }
        // A key acts only on a question in view; otherwise it scrolls to the question.
        const pressUntil = async (key: string, isDone: () => Promise<boolean>): Promise<void> => {
          const press = async () => (await isDone()) || page.keyboard.press(key);
          await expect.poll(press, { timeout: 30_000, interval: 500 }).toBe(true);
        };
        const field = (name: string) => question.locator(`[data-field="${name}"]`);
        // By the key, without the value that is required.
        await question.getByRole('heading').click();
        await pressUntil('y', async () => (await question.getByRole('alert').count()) > 0);
        await field('name').fill('A');
        await question.getByRole('alert').waitFor({ state: 'detached' });
        await question.getByRole('button', { name: en.approval.approve }).click();
        await question.getByRole('alert').waitFor();
        await field('name').fill('Ada');
        await field('count').fill('3');
        await field('colour').selectOption('blue');
        await field('parts').selectOption(['a', 'c']);
        await field('sure').selectOption('true');
        await question.getByRole('button', { name: en.approval.approve }).click();
        await page.getByText('Done.', { exact: true }).waitFor();
        const content = { name: 'Ada', count: 3, colour: 'blue', parts: ['a', 'c'], sure: true };
        expect(await readAnswers(place, first)).toMatchObject([{ answer: 'approved', by: 'server/page', content }]);
        const second = await ask();
        await page.goto(`${url}/#/s/${second}`);
        await question.getByRole('heading').click();
        await pressUntil('n', async () => (await question.count()) === 0);
        await page.getByText('Done.', { exact: true }).waitFor();
        const [declined] = await readAnswers(place, second);
        expect(declined).toMatchObject({ answer: 'rejected', by: 'server/page' });
        expect(declined).not.toHaveProperty('content');
        expect(complaints).toEqual([]);
        process.kill('SIGTERM');
        await process.ended;
      },
    );

    test('a prompt is completed, and sent as the terminal sends it', { tags: ['long'], timeout: 120_000 }, async () => {
      using place = createTestHome();
      addServer(place);
      expect(await runKlaus(['mcp', 'test', 'one'], { place, env: ENV })).toMatchObject({ code: 0 });
      await using server = await startServer(SCRIPT);
      const { url, process } = await startServeProcess(place, server, { env: ENV });
      const { page, complaints } = await openPage(browser, { url });
      const field = page.getByRole('textbox', { name: en.composer.label });
      await field.fill('/gre');
      await page.getByRole('option', { name: '/mcp__one__greet' }).waitFor();
      await field.press('Enter');
      await expect.poll(() => field.inputValue()).toBe('/mcp__one__greet ');
      await field.pressSequentially('Ada Lovelace');
      await field.press('Enter');
      await page.getByText('Done.', { exact: true }).waitFor();
      const input = JSON.stringify({ name: 'greet', arguments: { who: 'Ada Lovelace' } });
      expect(server.requests.some(({ body }) => body.includes(JSON.stringify(input).slice(1, -1)))).toBe(true);
      expect(complaints).toEqual([]);
      process.kill('SIGTERM');
      await process.ended;
    });
  },
);
