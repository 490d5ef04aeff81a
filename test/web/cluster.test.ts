// Covers apps/web/board, apps/web/sessions, apps/server/runs: the page of a server whose sessions wait for workers.
// @module-tag long
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enBoard } from '../../apps/web/text/en-board.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { startCluster, WITHOUT_CLUSTER, type Cluster, type ServerNode } from '../cluster/cluster.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { startServer, toEnv } from '../fixtures/klaus.ts';
import { expectAccessible, openPage } from '../fixtures/page.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const WAIT = { timeout: 60_000 };
const WITHOUT = WITHOUT_CLUSTER ?? WITHOUT_BROWSER;

describe.skipIf(WITHOUT !== undefined)(`the page of a cluster${WITHOUT ? `: ${WITHOUT}` : ''}`, () => {
  const stack = new AsyncDisposableStack();
  let cluster: Cluster;
  let node: ServerNode;
  let page: Page;
  const ids: string[] = [];

  beforeAll(async () => {
    await provideWebPage();
    const model = stack.use(
      await startServer({
        steps: [
          { when: { tools: false }, reply: { text: 'A title' } },
          { when: { user: 'fail' }, faults: [{ kind: 'status', status: 400, always: true }], reply: { text: 'never' } },
          { reply: { text: 'Done.' } },
        ],
      }),
    );
    const place = stack.use(createTestHome());
    cluster = stack.use(await startCluster(place, { env: toEnv({ place, server: model }) }));
    node = await cluster.openServer();
    const browser: Browser & AsyncDisposable = stack.use(await openBrowser());
    ({ page } = await openPage(browser, { url: node.server.url, token: node.server.token }));
    await page.goto(`${node.server.url}/#/board`);
    await page.getByRole('heading', { name: enBoard.title, exact: true }).waitFor();
  }, 240_000);
  afterAll(() => stack.disposeAsync(), 60_000);

  /** Ids of the cards of a column, from the top. */
  const cards = (column: string): Promise<(string | null)[]> =>
    page
      .locator(`[data-column="${column}"] .board-card`)
      .evaluateAll((all) => all.map((card) => card.getAttribute('data-session')));
  const card = (id: string) => page.locator(`.board-card[data-session="${id}"]`);

  test('sessions wait in their order, which the page does not offer to change', { timeout: 120_000 }, async () => {
    for (const text of ['one', 'two', 'fail']) ids.push((await node.client.openSession({ body: { text } })).session);
    await expect.poll(() => cards('queued'), WAIT).toEqual(ids);
    await expect.poll(() => card(ids[0]!).getByRole('button').count(), WAIT).toBe(0);
    // Its prompt is not in the log yet.
    await card(ids[0]!).getByRole('link', { name: 'one' }).waitFor(WAIT);
    expect(await card(ids[0]!).getAttribute('draggable')).toBeNull();
    await expectAccessible(page, 'the board of a cluster');
    await card(ids[0]!).getByRole('link', { name: 'one' }).click();
    await page.getByText(en.conversation.inQueue(1)).waitFor(WAIT);
  });

  test('a session that a worker refused is shown with the reason', { timeout: 120_000 }, async () => {
    const problem = { worker: 'W', code: 'config', message: 'The model of this session is not known here.' };
    await node.klaus.store.administration.reportProblem(ids[0]!, problem);
    await page.getByRole('alert').getByText(problem.message).waitFor(WAIT);
    await expectAccessible(page, 'a session that a worker refused');
    // No worker runs yet, so the problem stays.
    await page.getByRole('button', { name: en.conversation.retry }).click();
    await page.getByRole('log').getByText(en.conversation.queuedAgain).waitFor(WAIT);
    await page.goto(`${node.server.url}/#/board`);
    await expect.poll(() => cards('failed'), WAIT).toEqual([ids[0]]);
    await card(ids[0]!).getByText(problem.message).waitFor(WAIT);
    await expect.poll(() => cards('queued'), WAIT).toEqual(ids.slice(1));
  });

  test('they are done when a worker runs, and a failed one is queued again', { timeout: 120_000 }, async () => {
    await cluster.startWorker();
    const done = async () => new Set(await cards('done'));
    await expect.poll(done, WAIT).toEqual(new Set(ids.slice(0, 2)));
    await expect.poll(() => cards('failed'), WAIT).toEqual([ids[2]]);
    const end = () => node.klaus.store.view.head(ids[2]!)!.seq;
    const before = end();
    await card(ids[2]!).dragTo(page.locator('[data-column="queued"]'));
    await expect.poll(end, WAIT).toBeGreaterThan(before);
    await expect.poll(() => cards('failed'), WAIT).toEqual([ids[2]]);
  });
});
