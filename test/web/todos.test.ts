// Covers apps/web/sessions, core/conversation: the todo list of the agent on the page.
// @module-tag long
import type { Script } from '@klaus/sdk';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { de } from '../../apps/web/text/de.ts';
import { en } from '../../apps/web/text/en.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage, until } from '../fixtures/page.ts';
import { startTestServer } from '../fixtures/server.ts';

const TEXTS = ['Read the code', 'Write a test', 'Fix the sum', 'Run the tests', 'Describe the change'];

/** A call that stores a list: items before `current` are done, and this one is in progress. */
const write = (texts: readonly string[], current: number) => ({
  name: 'use_tool',
  input: {
    name: 'todo_write',
    input: {
      todos: texts.map((text, at) => ({
        text,
        status: at < current ? 'done' : at === current ? 'in_progress' : 'pending',
      })),
    },
  },
});

const LONG = Array.from({ length: 40 }, (_, at) => `Step ${at + 1} of a long list, which needs more than one line`);

/** A call that waits for an answer of the user. */
const ask = (path: string) => ({ name: 'write_file', input: { path, content: 'x\n' } });

type Step = Script['steps'][number];

const step = (turn: number, ...calls: NonNullable<Step['reply']['calls']>): Step => ({
  when: { turn },
  reply: { calls },
});

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { user: 'talk' }, reply: { text: 'Nothing to list.' } },
    step(0, write(TEXTS, 2), ask('a.txt')),
    step(1, write(LONG, 30), ask('b.txt')),
    step(2, write(TEXTS, 5)),
  ],
  fallback: { text: 'All of it is done.' },
};

describe.skipIf(WITHOUT_BROWSER !== undefined)(`the todo list${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  beforeAll(async () => {
    await provideWebPage();
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test('shows the state of each item until all are done', { timeout: 240_000 }, async () => {
    await using it = await startTestServer({ script: SCRIPT });
    const { url, token } = it.server;
    const { page, complaints } = await openPage(browser, { url, token });
    const panel = page.getByRole('region', { name: en.todos.label });
    const list = panel.getByRole('list', { name: en.todos.label });
    const head = panel.getByRole('button', { name: en.todos.label });
    const answer = async () => {
      await page.getByRole('button', { name: en.approval.review }).click();
      await page.getByRole('button', { name: en.approval.submit }).click();
    };

    const quiet = await it.client.openSession({ body: { text: 'talk' } });
    await page.goto(`${url}/#/s/${quiet.session}`);
    await page.getByText('Nothing to list.').waitFor();
    expect(await panel.count()).toBe(0);

    const { session } = await it.client.openSession({ body: { text: 'work', mode: 'ask' } });
    await page.goto(`${url}/#/s/${session}`);
    await page.locator('[data-question]').waitFor();
    const { done, in_progress, pending } = en.todos;
    const marks = () => list.getByRole('img').evaluateAll((all) => all.map((each) => each.ariaLabel));
    expect(await list.getByRole('listitem').allTextContents()).toEqual(TEXTS);
    expect(await marks()).toEqual([done, done, in_progress, pending, pending]);
    expect(await list.locator('[aria-current=step]').allTextContents()).toEqual(['Fix the sum']);
    expect(await head.textContent()).toContain(en.todos.progress(2, 5));
    await expectAccessible(page, 'todo list');

    await head.click();
    await expect.poll(() => head.getAttribute('aria-expanded')).toBe('false');
    expect(await list.count()).toBe(0);
    expect(await head.textContent()).toContain('Fix the sum');
    await expectAccessible(page, 'folded todo list');
    // By the keyboard.
    await head.press('Enter');
    await list.waitFor();

    // The log contains it.
    await page.reload();
    await page.locator('[data-question]').waitFor();
    expect(await list.getByRole('listitem').allTextContents()).toEqual(TEXTS);

    await answer();
    await panel.getByText(en.todos.progress(30, 40)).waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    // The current item is in view, and so is the end of the conversation.
    await until(
      page,
      `(() => {
      const box = (element) => element.getBoundingClientRect();
      const rows = document.querySelector('.todos-list');
      const current = box(rows.querySelector('[aria-current]'));
      const scroll = document.querySelector('.conversation-scroll');
      return current.top >= box(rows).top && current.bottom <= box(rows).bottom
        && box(rows).height <= innerHeight / 4
        && scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 2;
    })()`,
    );
    await expectAccessible(page, 'long todo list');

    await answer();
    await page.getByText('All of it is done.').waitFor();
    expect(await panel.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('has German texts', { tags: ['long'], timeout: 120_000 }, async () => {
    await using it = await startTestServer({ script: SCRIPT });
    const { url, token } = it.server;
    const { session } = await it.client.openSession({ body: { text: 'work', mode: 'ask' } });
    const { page } = await openPage(browser, { url, token, locale: 'de-DE' });
    await page.goto(`${url}/#/s/${session}`);
    const panel = page.getByRole('region', { name: de.todos.label });
    await panel.getByText(de.todos.progress(2, 5)).waitFor();
    expect(await panel.getByRole('img', { name: de.todos.in_progress, exact: true }).count()).toBe(1);
  });
});
