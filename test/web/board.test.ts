// Covers apps/web/board, apps/server/runs: the board of the page.
// @module-tag long
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import type { SessionState } from '@klaus/server/contract';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enBoard } from '../../apps/web/text/en-board.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage, type WatchedPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer, untilState } from '../fixtures/server.ts';

const WAIT = { timeout: 30_000 };

const write = (user: string, path: string) => [
  {
    when: { user, turn: 0 },
    reply: { calls: [{ name: 'write_file', input: { path, content: `${path}\nof ${user}\n` } }] },
  },
  { when: { user, turn: 1 }, reply: { text: `Written: ${path}.` } },
];

const SCRIPT: Script = {
  steps: [
    ...['first', 'second', 'third', 'several', 'ask', 'fail', 'talk'].map((name) => ({
      when: { tools: false, user: name },
      reply: { text: `About ${name}` },
    })),
    { when: { user: 'talk' }, pace: 20, reply: { text: { repeat: 'and on ', times: 100_000 } } },
    { when: { user: 'fail' }, faults: [{ kind: 'status', status: 400, always: true }], reply: { text: 'never' } },
    ...write('ask', 'asked.txt'),
    ...write('first', 'first.txt'),
    ...write('second', 'second.txt'),
    ...write('several', 'several.txt'),
  ],
  fallback: { text: 'Fine.' },
};

describe.skipIf(WITHOUT_BROWSER !== undefined)(`the board${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let watched: WatchedPage;
  let page: Page;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer({ script: SCRIPT, env: { AGENT_MAX_CONCURRENT_SESSIONS: '1' } });
    browser = await openBrowser();
    watched = await openPage(browser, { url: it.server.url, token: it.server.token });
    ({ page } = watched);
    await page.goto(`${it.server.url}/#/board`);
    await page.getByRole('heading', { name: enBoard.title, exact: true }).waitFor();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
  });

  async function begin(text: string, mode: 'ask' | 'auto' = 'auto'): Promise<string> {
    return (ids[text] = (await it.client.openSession({ body: { text, mode } })).session);
  }

  const reaches = (name: string, state: SessionState) => untilState(it.client, ids[name]!, state);

  /** Ids of the cards of a column, from the top. */
  const cards = (column: string): Promise<(string | null)[]> =>
    page
      .locator(`[data-column="${column}"] .board-card`)
      .evaluateAll((all) => all.map((card) => card.getAttribute('data-session')));

  const card = (name: string) => page.locator(`.board-card[data-session="${ids[name]!}"]`);

  test('each session is in the column of its state', async () => {
    for (const [text, mode, state] of [
      ['first', 'auto', 'done'],
      ['second', 'auto', 'done'],
      ['ask', 'ask', 'needs-you'],
      ['fail', 'auto', 'failed'],
    ] as const) {
      ids[text] = await begin(text, mode);
      await reaches(text, state);
    }
    await expect.poll(() => cards('done'), WAIT).toEqual([ids['second'], ids['first']]);
    await expect.poll(() => cards('needing'), WAIT).toEqual([ids['ask']]);
    await expect.poll(() => cards('failed'), WAIT).toEqual([ids['fail']]);
    await card('first').getByText('Written: first.txt.').waitFor();
  });

  test('a queued card is moved by drag, by buttons and by keys', { tags: ['long'] }, async () => {
    await begin('talk');
    await reaches('talk', 'running');
    for (const name of ['third', 'fourth', 'fifth']) await begin(name);
    const order = (...names: string[]) => names.map((name) => ids[name]!);
    await expect.poll(() => cards('queued'), WAIT).toEqual(order('third', 'fourth', 'fifth'));
    await expect.poll(() => cards('running'), WAIT).toEqual([ids['talk']]);
    await expectAccessible(page, 'the board');

    await card('fifth').dragTo(card('third'));
    await expect.poll(() => cards('queued'), WAIT).toEqual(order('fifth', 'third', 'fourth'));
    await card('fourth').getByRole('button').first().click();
    await expect.poll(() => cards('queued'), WAIT).toEqual(order('fifth', 'fourth', 'third'));
    await card('fifth').getByRole('link').focus();
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => cards('queued'), WAIT).toEqual(order('fourth', 'fifth', 'third'));
    const { queued } = await it.client.runs();
    expect(queued.map(({ session }) => session)).toEqual(order('fourth', 'fifth', 'third'));
    // A session that is not queued has no position.
    expect(await it.client.moveQueued({ params: { id: ids['first']! }, body: { position: 1 } })).toEqual({
      session: ids['first'],
      position: null,
    });
    await it.client.cancel({ params: { id: ids['talk']! }, body: {} });
    for (const name of ['third', 'fourth', 'fifth']) await reaches(name, 'done');
    const started = await Promise.all(
      ['fourth', 'fifth', 'third'].map(async (name) => (await it.klaus.store.lastOf(ids[name]!, ['run.started']))!.at),
    );
    expect(started).toEqual(started.toSorted((a, b) => a - b));
  });

  test('a failed session is queued again by drag and by its button', async () => {
    const runs = async () =>
      (await Array.fromAsync(it.klaus.handle(ids['fail']!).events())).filter(({ type }) => type === 'run.finished')
        .length;
    const before = await runs();
    // A card that moves while the pointer goes to it is missed.
    await expect.poll(() => cards('queued'), WAIT).toEqual([]);
    await expect.poll(() => cards('failed'), WAIT).toEqual([ids['talk'], ids['fail']]);
    await card('fail').dragTo(page.locator('[data-column="queued"]'));
    await expect.poll(runs, WAIT).toBe(before + 1);
    await expect.poll(() => cards('failed'), WAIT).toContain(ids['fail']);
    await card('fail')
      .getByRole('button', { name: new RegExp(enBoard.again('.*')) })
      .click();
    await expect.poll(runs, WAIT).toBe(before + 2);
    await expect.poll(() => cards('failed'), WAIT).toContain(ids['fail']);
  });

  test('the changes of two sessions are compared side by side, and one is chosen', { tags: ['long'] }, async () => {
    for (const name of ['first', 'second']) await card(name).getByRole('checkbox').check();
    await page.getByRole('button', { name: enBoard.compare(2) }).click();
    const compared = page.locator('.compared');
    await expect.poll(() => compared.count(), WAIT).toBe(2);
    await page
      .getByRole('group', { name: enBoard.of('first.txt', 'A') })
      .getByText('of first')
      .waitFor();
    await page
      .getByRole('group', { name: enBoard.of('second.txt', 'B') })
      .getByText('of second')
      .waitFor();
    await page
      .getByRole('group', { name: enBoard.of('first.txt', 'B') })
      .getByText(enBoard.notChanged)
      .waitFor();
    await expectAccessible(page, 'the comparison');
    const [left, right] = [await compared.nth(0).boundingBox(), await compared.nth(1).boundingBox()];
    expect(left!.x + left!.width).toBeLessThanOrEqual(right!.x);
    await compared.nth(1).getByRole('button', { name: enBoard.choose }).click();
    await page.waitForURL(new RegExp(`/s/${ids['second']!}/changes`));
    expect(await it.client.session({ params: { id: ids['second']! } })).toMatchObject({ pinned: true });
    const { items } = await it.client.attention();
    expect(items.map(({ session }) => session)).not.toContain(ids['first']);
  });

  test('several agents are started with one prompt', { tags: ['long'] }, async () => {
    await page.goto(`${it.server.url}/#/board`);
    await page.getByRole('button', { name: enBoard.start }).click();
    await page.getByLabel(enBoard.prompt, { exact: true }).fill('several');
    await page.getByLabel(enBoard.count).fill('3');
    await page.getByLabel(enBoard.place).selectOption('folder');
    await page.getByRole('button', { name: enBoard.submit(3), exact: true }).click();
    await page.getByRole('button', { name: enBoard.compare(3) }).waitFor();
    const prompts = async () => {
      const { sessions } = await it.client.sessions({ query: { search: 'several' } });
      return sessions.filter(({ state }) => state === 'done').length;
    };
    await expect.poll(prompts, WAIT).toBe(3);
    expect(readFileSync(join(it.place.workspace, 'several.txt'), 'utf8')).toBe('several.txt\nof several\n');
  });

  test('the sidebar lists what needs the user, and a look at a session removes it', async () => {
    const heading = page.locator('.session-heading', { hasText: en.sessions.waiting });
    await heading.waitFor();
    const count = async () => Number(await heading.locator('.number').innerText());
    const listed = async () => (await it.client.attention()).items.map(({ session }) => session);
    expect(await listed()).toContain(ids['fail']);
    await expect.poll(async () => (await count()) - (await listed()).length, WAIT).toBe(0);
    await page.goto(`${it.server.url}/#/s/${ids['fail']!}`);
    await expect.poll(listed, WAIT).not.toContain(ids['fail']);
    await expect.poll(async () => (await count()) - (await listed()).length, WAIT).toBe(0);
    expect(watched.complaints).toEqual([]);
  });
});
