// Covers apps/server/handlers, apps/server/streams, sdk/guard-log: the decisions of the guard of Claude Code, over HTTP.
import { followHost } from '@klaus/server/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runKlaus } from '../fixtures/klaus.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';
import { recordDecision, type DecisionFields } from '../fixtures/guard-decisions.ts';

let it: TestServer;
beforeAll(async () => void (it = await startTestServer()));
afterAll(() => it[Symbol.asyncDispose]());

const review = (reviewer: string, outcome: 'pass' | 'deny', usd?: number) => ({
  reviewer,
  outcome,
  reason: 'because',
  decidedBy: usd === undefined ? 'rules' : 'model',
  usd,
});

const record = (fields: DecisionFields) => recordDecision(it.klaus, fields);

test('decisions come in pages, the newest first, and are filtered', async () => {
  const { client } = it;
  const { decisions: none, next: noNext } = await client.guardDecisions();
  expect([none, noNext]).toEqual([[], null]);
  await record({ workspace: '/one', text: 'ls' });
  await record({ workspace: '/one', text: 'rm -rf /', verdict: 'deny', rule: 'shell' });
  await record({ workspace: '/two', text: 'cat .env', verdict: 'ask', rule: 'path' });
  const reviews = [review('tool-approve', 'deny', 0.25), review('tool-appeal', 'pass', 0.5)];
  await record({ workspace: '/two', text: 'deploy', reviews });
  const upheld = [review('tool-approve', 'deny'), review('tool-appeal', 'deny')];
  await record({ workspace: '/two', text: 'publish', verdict: 'deny', rule: 'tool-approve', reviews: upheld });
  await record({ workspace: '/two', event: 'Stop', text: 'Done.', verdict: 'deny', rule: 'evidence' });

  const texts: string[] = [];
  for (let before: number | null | undefined; before !== null;) {
    const page: Awaited<ReturnType<typeof client.guardDecisions>> = await client.guardDecisions({
      query: { limit: 2, before },
    });
    expect(page.decisions.length).toBeLessThanOrEqual(2);
    texts.push(...page.decisions.map(({ text }) => text));
    before = page.next;
  }
  expect(texts).toEqual(['Done.', 'publish', 'deploy', 'cat .env', 'rm -rf /', 'ls']);
  const list = async (query: NonNullable<Parameters<typeof client.guardDecisions>[0]>['query']) =>
    (await client.guardDecisions({ query: query! })).decisions.map(({ text }) => text);
  expect(await list({ verdict: 'deny' })).toEqual(['Done.', 'publish', 'rm -rf /']);
  expect(await list({ decider: 'tool-approve' })).toEqual(['publish']);
  expect(await list({ decider: 'gate', verdict: 'deny', workspace: '/one' })).toEqual(['rm -rf /']);
  expect(await list({ workspace: '/nowhere' })).toEqual([]);
});

test('rates count calls, and denials that an appeal overturned, by reviewer and by day', async () => {
  const { client, place, model } = it;
  const { rates, workspaces } = await client.guardRates();
  expect(workspaces).toEqual(['/one', '/two']);
  expect(rates).toMatchObject({ calls: 5, denied: 2, asked: 1, blocked: 1 });
  expect(rates.reviewers).toEqual([
    { reviewer: 'tool-appeal', reviews: 2, denied: 1, appealed: 0, overturned: 0, usd: 0.5 },
    { reviewer: 'tool-approve', reviews: 2, denied: 2, appealed: 2, overturned: 1, usd: 0.25 },
  ]);
  // The test can run over midnight.
  expect(rates.days.reduce((sum, { usd }) => sum + usd, 0)).toBe(0.75);
  expect(rates.days.reduce((sum, { calls }) => sum + calls, 0)).toBe(5);
  expect((await client.guardRates({ query: { workspace: '/one' } })).rates).toMatchObject({ calls: 2, denied: 1 });
  expect((await client.guardRates({ query: { since: '2200-01-01' } })).rates).toMatchObject({ calls: 0, days: [] });
  // Only new decisions are read.
  await record({ workspace: '/one', text: 'pwd' });
  expect((await client.guardRates()).rates).toMatchObject({ calls: 6, denied: 2 });
  const { stdout } = await runKlaus(['guard', 'log', '--rates', '--all', '--json'], { place, server: model });
  expect(JSON.parse(stdout)).toEqual((await client.guardRates()).rates);
});

test('the stream of the list reports the newest decision, and each new one', async () => {
  const end = new AbortController();
  const seen: number[] = [];
  const ignore = () => {};
  const ended = followHost(it.client, {
    onSnapshot: ignore,
    onSession: ignore,
    onRemoved: ignore,
    onGuard: (seq) => void seen.push(seq),
    signal: end.signal,
  });
  const newest = async () => (await it.client.guardDecisions({ query: { limit: 1 } })).decisions[0]!.seq;
  await expect.poll(() => seen).toEqual([await newest()]);
  const { seq } = await record({ workspace: '/one', text: 'whoami' });
  await expect.poll(() => seen.at(-1)).toBe(seq);
  end.abort();
  await ended;
});
