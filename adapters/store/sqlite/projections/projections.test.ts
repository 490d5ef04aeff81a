import { expect, test } from 'vitest';
import { START, toSampleDrafts } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { Database } from '../database.ts';
import { toDatabaseFile } from '../open-database.ts';
import { PROJECTION_TABLES } from '../../shared/projection-tables.ts';
import { createSqliteStore } from '../sqlite-store.ts';
import type { SqliteStore } from '../sqlite-store.ts';

type Row = Record<string, unknown>;

async function addSession(store: SqliteStore, id: string): Promise<void> {
  const lease = (await store.claim(id))!;
  await store.append(id, toSampleDrafts(), { lease });
  await lease.release();
}

function readTables(home: string): Record<string, Row[]> {
  const database = new Database(toDatabaseFile(home));
  const tables = [...PROJECTION_TABLES, 'blob_refs'];
  const rows = tables.map((table) => [table, database.all<Row>(`SELECT * FROM ${table} ORDER BY 1, 2`)]);
  database.close();
  return Object.fromEntries(rows.map(([table, all]) => [table, (all as Row[]).map((row) => ({ ...row }))]));
}

test('the documented tables hold what the events say', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await addSession(store, 'A');
  const tables = readTables(home.path);

  expect(tables['sessions']).toEqual([
    expect.objectContaining({
      id: 'A',
      workspace_dir: '/home/ada/sum',
      summary: 'Looked for the bug in sum.js.',
      pinned: 1,
      created_at: '2026-01-02T03:04:05.000Z',
      updated_at: new Date(START + toSampleDrafts().length - 1).toISOString(),
      agent_type: 'klaus',
      parent_id: null,
      status: 'closed',
      title: 'Repair the sum',
      model: 'scripted/other',
      mode: 'ask',
      outcome: 'failed',
      turns: 1,
      tool_calls: 2,
      input_tokens: 1_540,
      output_tokens: 80,
      cache_read_tokens: 300,
      cache_write_tokens: 40,
      cost_usd: 0.125,
    }),
  ]);
  expect(tables['projects']).toEqual([
    { hash: '83476107d592432e1bf3585d', root: '/home/ada/sum', created_at: '2026-01-02T03:04:05.000Z' },
  ]);
  expect(
    tables['messages']!.map(({ role, content, tool_name, tool_call_id }) => [role, content, tool_name, tool_call_id]),
  ).toEqual([
    ['user', 'The sum is wrong — repariere es. 🧮\n[file log.bin]', null, null],
    ['assistant', 'I read the file, then I run the tests.', null, null],
    ['tool', 'export const sum = (a, b) => a - b;\n', 'read_file', 'call-1'],
    ['tool', 'x'.repeat(10_240), 'run_command', 'call-2'],
  ]);
  expect(tables['tool_calls']).toEqual([
    expect.objectContaining({
      tool_name: 'read_file',
      input: '{"path":"src/sum.js"}',
      output: 'export const sum = (a, b) => a - b;\n',
      success: 1,
      duration_ms: 1,
    }),
    expect.objectContaining({ tool_name: 'run_command', output: 'x'.repeat(10_240), success: 0, duration_ms: 1_235 }),
  ]);
  expect(tables['token_usage']).toEqual([
    expect.objectContaining({
      model: 'scripted/demo',
      input_tokens: 1_540,
      output_tokens: 80,
      cache_read_tokens: 300,
      cache_write_tokens: 40,
      cost_usd: 0.125,
    }),
  ]);
});

test('the cost of a session is unknown as soon as one price is', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const lease = (await store.claim('A'))!;
  const drafts = toSampleDrafts().slice(0, 6);
  await store.append('A', drafts, { lease });
  expect((await store.session('A'))!.costUsd).toBe(0.125);
  const unpriced = { ...drafts[5]!, usd: null } as (typeof drafts)[number];
  await store.append('A', [unpriced, drafts[5]!], { lease });
  expect(await store.session('A')).toMatchObject({ costUsd: null, inputTokens: 3_600 });
});

test('the status follows runs and questions', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const lease = (await store.claim('A'))!;
  const statuses: string[] = [];
  for (const draft of toSampleDrafts()) {
    await store.append('A', [draft], { lease });
    const status = (await store.session('A'))!.status;
    if (status !== statuses.at(-1)) statuses.push(status);
  }
  expect(statuses).toEqual(['idle', 'running', 'waiting', 'running', 'waiting', 'idle', 'closed']);
});

test('projections rebuilt from the log are equal to those kept along the way', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path, maxToolResultSize: 100 });
  for (const id of ['B', 'A', 'C']) await addSession(store, id);
  const kept = readTables(home.path);
  expect(kept['messages']).toHaveLength(12);

  const database = new Database(toDatabaseFile(home.path));
  database.exec(`DELETE FROM token_usage; UPDATE sessions SET title = 'wrong', cost_usd = 99; DELETE FROM approvals`);
  database.close();
  expect(readTables(home.path)).not.toEqual(kept);
  expect(await store.rebuild()).toBe(3 * toSampleDrafts().length);
  expect(readTables(home.path)).toEqual(kept);
});
