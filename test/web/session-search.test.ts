// Covers apps/web/find, apps/web/outline: search within a session, its prompts, comparison, and another model.
// @module-tag long
import type { Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enBoard } from '../../apps/web/text/en-board.ts';
import { enChanges } from '../../apps/web/text/changes/en-changes.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

const LONG = Array.from({ length: 120 }, (_, at) => `Paragraph ${at} of a long answer.`).join('\n\n');
const OUTPUT = `for i in $(seq 1 400); do echo "row $i"; done; echo "hidden needle"`;

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    {
      when: { user: 'first', turn: 0 },
      reply: { text: 'A needle here.', calls: [{ name: 'run_command', input: { command: OUTPUT } }] },
    },
    {
      when: { user: 'second', turn: 2 },
      reply: { text: `${LONG}\n\nThe last **needle** and [a link](https://example.com/needle/haystack).` },
    },
  ],
  fallback: { text: 'Done.' },
};

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `search within a session${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    let browser: Browser & AsyncDisposable;
    let it: TestServer;
    let page: Page;
    let complaints: string[];
    let session: string;

    const field = () => page.getByRole('searchbox', { name: enChanges.find.label });
    const status = () => page.getByRole('search', { name: enChanges.find.label }).getByRole('status');
    const marked = (name: string) =>
      page.evaluate(`[...(CSS.highlights.get('${name}') ?? [])].map((range) => range.toString())`);
    const goToSession = async (id = session) => {
      await page.goto(`${it.server.url}/#/s/${id}`);
      await page.locator('.end-good').last().waitFor();
      await page.locator('.sidebar a[aria-current="page"]').waitFor();
      await page.locator('.conversation-scroll').focus();
    };

    beforeAll(async () => {
      await provideWebPage();
      it = await startTestServer({ script: SCRIPT });
      browser = await openBrowser();
      ({ page, complaints } = await openPage(browser, { url: it.server.url, token: it.server.token! }));
      await page.getByRole('heading', { name: en.home.title }).waitFor();
      ({ session } = await it.client.openSession({ body: { text: 'The first prompt', mode: 'auto' } }));
      await goToSession();
      await it.client.sendPrompt({ params: { id: session }, body: { text: 'The second prompt\nwith a needle' } });
      await page.getByText('The last').waitFor();
      await page.locator('.session-head .state-done').waitFor();
    });
    afterAll(async () => {
      await browser?.close();
      await it?.[Symbol.asyncDispose]();
    });

    test('it counts all occurrences, marks them, and opens folded output', async () => {
      await goToSession();
      await page.keyboard.press('Control+f');
      await field().fill('NEEDLE');
      // The answer, the command, its output, the second prompt and the last answer.
      await expect.poll(() => status().textContent()).toBe(enChanges.find.position(1, '5'));
      await expect.poll(() => marked('klaus-found-current')).toEqual(['needle']);
      await expectAccessible(page, 'search in a session');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      await expect.poll(() => status().textContent()).toBe(enChanges.find.position(3, '5'));
      await page.locator('.conversation').getByText('hidden needle').last().waitFor();
      await expect.poll(() => marked('klaus-found-current')).toEqual(['needle']);
      await page.keyboard.press('Shift+Enter');
      await page.keyboard.press('Shift+Enter');
      await page.keyboard.press('Shift+Enter');
      // Around the beginning, to a row that was not rendered.
      await expect.poll(() => status().textContent()).toBe(enChanges.find.position(5, '5'));
      await page.getByText('The last').waitFor();
      expect(await page.getByText('The last').isVisible()).toBe(true);
      // Across the marks of bold text, and not in the address of a link.
      await field().fill('last needle and a');
      await expect.poll(() => status().textContent()).toBe(enChanges.find.position(1, '1'));
      await expect.poll(() => marked('klaus-found-current')).toEqual(['last needle and a']);
      await field().fill('haystack');
      await expect.poll(() => status().textContent()).toBe(enChanges.find.none);
      await field().fill('no such text');
      await expect.poll(() => status().textContent()).toBe(enChanges.find.none);
      await expect.poll(() => marked('klaus-found')).toEqual([]);
    });

    test('Escape returns to the conversation, and the second Ctrl-F is left to the browser', async () => {
      await goToSession();
      if ((await field().count()) === 0) await page.keyboard.press('Control+f');
      await field().fill('needle');
      await page.evaluate(
        `addEventListener('keydown', (event) => { if (event.key === 'f') globalThis.wasTaken = event.defaultPrevented; })`,
      );
      await page.keyboard.press('Control+f');
      expect(await page.evaluate('globalThis.wasTaken')).toBe(false);
      await page.keyboard.press('Escape');
      await field().waitFor({ state: 'detached' });
      expect(await marked('klaus-found')).toEqual([]);
      await page.keyboard.press('Control+f');
      expect(await page.evaluate('globalThis.wasTaken')).toBe(true);
      await field().waitFor();
      await page.keyboard.press('Escape');
    });

    test('the outline lists the prompts with their state and goes to one', async () => {
      await goToSession();
      await page.keyboard.press('o');
      const dialog = page.getByRole('dialog', { name: enChanges.outline.title });
      await dialog.getByRole('option').nth(1).waitFor();
      expect(await dialog.getByRole('option').allInnerTexts()).toEqual([
        expect.stringMatching(/1\s+The first prompt\s+Done/),
        expect.stringMatching(/2\s+The second prompt\s+Done/),
      ]);
      await expectAccessible(page, 'outline');
      await page.keyboard.type('first');
      await expect.poll(() => dialog.getByRole('option').count()).toBe(1);
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await page.locator('.entry-marked').getByText('The first prompt').waitFor();
      expect(new URL(page.url()).hash).toMatch(/seq=\d+$/);
    });

    test(
      'an answer is repeated with another model in a fork, which is compared with the original',
      { tags: ['long'] },
      async () => {
        await goToSession();
        await page.keyboard.press('G');
        const answer = page.locator('.entry-model').filter({ hasText: 'The last' });
        await answer.getByRole('button', { name: en.conversation.retryModel }).click();
        const dialog = page.getByRole('dialog', { name: enChanges.retry.title });
        await page.keyboard.type('haiku');
        await expectAccessible(page, 'retry with another model');
        await page.keyboard.press('Enter');
        await dialog.waitFor({ state: 'detached' });
        await expect.poll(() => page.url()).not.toContain(session);
        const fork = /#\/s\/(\w+)/.exec(page.url())![1]!;
        await page.locator('.end-good').last().waitFor();
        const { model, forkedFrom } = await it.client.session({ params: { id: fork } });
        expect({ model, forkedFrom }).toMatchObject({ model: expect.stringContaining('haiku'), forkedFrom: session });
        const readPrompts = async () => {
          const { events } = await it.client.log({ params: { id: fork }, query: {} });
          return events.flatMap((event) =>
            event.type === 'message.added' && event.message.origin === 'user' ? [event.message.parts] : [],
          );
        };
        await expect
          .poll(readPrompts)
          .toEqual([
            [{ type: 'text', text: 'The first prompt' }],
            [{ type: 'text', text: 'The second prompt\nwith a needle' }],
          ]);
        await page.locator('.session-head .session-menu button').first().click();
        await page.getByRole('menuitem', { name: en.sessions.compare }).click();
        const compare = page.getByRole('dialog', { name: en.sessions.compare });
        await compare.getByText(enChanges.compare.related).first().waitFor();
        await expectAccessible(page, 'compare');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: enBoard.comparison }).waitFor();
        expect(await page.locator('.compared-heads [data-session]').count()).toBe(2);
        expect(complaints).toEqual([]);
      },
    );
  },
);
