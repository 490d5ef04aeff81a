import { expect, test } from 'vitest';
import type { Draft } from '@klaus/core/agent';
import { START, toSampleDrafts } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { Database } from '../database.ts';
import { migrate, MIGRATIONS } from '../migrations/migrate.ts';
import { toDatabaseFile } from '../open-database.ts';
import { createSqliteStore } from '../sqlite-store.ts';
import type { SqliteStore } from '../sqlite-store.ts';

const [opened] = toSampleDrafts();

function toAttempt(more: Record<string, unknown>): Draft {
  const usage = { input: 10, output: 1, cacheRead: 100, cacheWrite: 0 };
  const head = { run: 'r', purpose: 'turn', turn: 1, model: 'a/b', attempt: 1, outcome: 'ok', usage, usd: 0.5 };
  return { type: 'model.attempted', ...head, at: START, ...more } as Draft;
}

async function add(store: SqliteStore, session: string, drafts: readonly Draft[], parent?: string): Promise<void> {
  const lease = (await store.claim(session))!;
  const first = { ...opened!, ...(parent === undefined ? {} : { parent: { session: parent, call: 'c' } }) } as Draft;
  await store.append(session, [first, ...drafts], { lease });
  await lease.release();
}

test('usage is summed by day, model and session, over a session and all below it, and since a time', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const nextDay = START + 86_400_000;
  await add(store, 'A', [toAttempt({}), toAttempt({ at: nextDay, outcome: 'abandoned' })]);
  await add(store, 'B', [toAttempt({ model: 'c/d', usd: null })], 'A');
  await add(store, 'C', [toAttempt({ outcome: 'connection', usd: 2 })], 'B');
  await add(store, 'D', [toAttempt({})]);
  const keysOf = (rows: { key: string; requests: number; usd: number | null }[]) =>
    rows.map(({ key, requests, usd }) => [key, requests, usd]);

  expect(keysOf(await store.usage({ by: 'day' }))).toEqual([
    ['2026-01-02', 4, null],
    ['2026-01-03', 1, 0.5],
  ]);
  expect(keysOf(await store.usage({ by: 'session', session: 'A' }))).toEqual([
    ['A', 2, 1],
    ['B', 1, null],
    ['C', 1, 2],
  ]);
  expect(keysOf(await store.usage({ by: 'model', session: 'B' }))).toEqual([
    ['a/b', 1, 2],
    ['c/d', 1, null],
  ]);
  expect(keysOf(await store.usage({ by: 'workspace' }))).toEqual([
    [(opened as { workspace: string }).workspace, 5, null],
  ]);
  expect(keysOf(await store.usage({ by: 'session', since: nextDay }))).toEqual([['A', 1, 0.5]]);
  expect(await store.usage({ by: 'session', session: 'A' })).toMatchObject([
    {
      inputTokens: 20,
      cacheReadTokens: 200,
      abandoned: { requests: 1, inputTokens: 10, usd: 0.5 },
      broken: { requests: 0 },
    },
    { broken: { requests: 0 } },
    { broken: { requests: 1, usd: 2 }, abandoned: { requests: 0 } },
  ]);
});

test('a request is open until its end is in the log', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const requested = { type: 'model.requested', reserved: { tokens: 9, usd: 1 }, purpose: 'title', at: START } as Draft;
  await add(store, 'A', [requested]);
  await add(store, 'B', [requested, toAttempt({})]);
  expect((await store.openRequests()).map(({ session }) => session)).toEqual(['A']);
});

test('an older database contains the outcome of each request after its migration', async () => {
  using home = createTemporaryHome();
  const refused = { usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, usd: null, outcome: 'overloaded' };
  {
    using store = createSqliteStore({ home: home.path });
    await add(store, 'A', [toAttempt({}), toAttempt(refused), toAttempt({ outcome: 'abandoned' })]);
    await add(store, 'B', [toAttempt({ outcome: 'idle' }), toAttempt({})]);
  }
  const database = new Database(toDatabaseFile(home.path));
  database.exec(
    `ALTER TABLE token_usage DROP COLUMN outcome; DELETE FROM migrations WHERE name = 'm005-usage-outcome'`,
  );
  migrate(database, MIGRATIONS);
  const rows = database.all<{ session_id: string; outcome: string }>(
    'SELECT session_id, outcome FROM token_usage ORDER BY id',
  );
  database.close();
  expect(rows.map(({ session_id, outcome }) => [session_id, outcome])).toEqual([
    ['A', 'ok'],
    ['A', 'abandoned'],
    ['B', 'idle'],
    ['B', 'ok'],
  ]);
});
