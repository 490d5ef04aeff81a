import { expect, test } from 'vitest';
import { toSampleDrafts } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { Database } from '../database.ts';
import { toDatabaseFile } from '../open-database.ts';
import { createSqliteStore } from '../sqlite-store.ts';

const USAGE = `INSERT INTO token_usage (session_id, model, input_tokens, output_tokens, created_at, cache_read_tokens,
  cache_write_tokens, cost_usd, purpose, turn, outcome)
  SELECT 'ghost', model, input_tokens, output_tokens, created_at, cache_read_tokens, cache_write_tokens, cost_usd,
  purpose, turn, outcome FROM token_usage WHERE session_id = 'A'`;

const CHANGES: readonly [string, table: string, session?: string][] = [
  ["UPDATE sessions SET cost_usd = 0 WHERE id = 'A'", 'sessions'],
  ["UPDATE sessions SET input_tokens = input_tokens + 1 WHERE id = 'A'", 'sessions'],
  ["UPDATE sessions SET tool_calls = 0 WHERE id = 'A'", 'sessions'],
  ["UPDATE sessions SET outcome = 'done' WHERE id = 'A'", 'sessions'],
  ["UPDATE sessions SET workspace_dir = '/' WHERE id = 'A'", 'sessions'],
  ["UPDATE sessions SET title = 'Other' WHERE id = 'A'", 'sessions'],
  ["UPDATE sessions SET first_prompt = 'Other' WHERE id = 'A'", 'sessions'],
  ["UPDATE sessions SET forked_from = 'B' WHERE id = 'A'", 'sessions'],
  ["UPDATE token_usage SET cost_usd = 0 WHERE session_id = 'A'", 'token_usage'],
  ["UPDATE token_usage SET cost_usd = NULL WHERE session_id = 'A'", 'token_usage'],
  ["UPDATE token_usage SET output_tokens = 0 WHERE session_id = 'A'", 'token_usage'],
  ["UPDATE token_usage SET created_at = '2020-01-01T00:00:00.000Z' WHERE session_id = 'A'", 'token_usage'],
  ["UPDATE token_usage SET session_id = 'B' WHERE session_id = 'A'", 'token_usage'],
  ["DELETE FROM token_usage WHERE session_id = 'A'", 'token_usage'],
  [USAGE, 'token_usage', 'ghost'],
  ["UPDATE tool_calls SET outcome = 'ok', success = 1 WHERE session_id = 'A'", 'tool_calls'],
  ["UPDATE tool_calls SET input = '{}' WHERE session_id = 'A'", 'tool_calls'],
  ["UPDATE tool_calls SET output = 'other' WHERE session_id = 'A'", 'tool_calls'],
  ["DELETE FROM tool_calls WHERE session_id = 'A'", 'tool_calls'],
  ["UPDATE messages SET content = 'Do that.' WHERE session_id = 'A' AND role = 'user'", 'messages'],
  ["UPDATE messages SET content = 'The sum' WHERE session_id = 'A' AND role = 'user'", 'messages'],
  ["DELETE FROM messages WHERE session_id = 'A' AND role = 'assistant'", 'messages'],
  ["UPDATE approvals SET answer = 'rejected' WHERE session_id = 'A'", 'approvals'],
  ["UPDATE approvals SET answer = NULL WHERE session_id = 'A'", 'approvals'],
  ["DELETE FROM approvals WHERE session_id = 'A'", 'approvals'],
];

test.each(CHANGES)('%s', async (sql, table, session = 'A') => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  for (const id of ['A', 'B']) {
    const lease = (await store.claim(id))!;
    await store.append(id, toSampleDrafts(), { lease });
    await lease.release();
  }
  expect((await store.audit()).intact).toBe(true);
  const database = new Database(toDatabaseFile(home.path));
  database.exec('PRAGMA foreign_keys = OFF');
  expect(database.run(sql).changes).toBeGreaterThan(0);
  database.close();
  const report = await store.audit();
  expect(report.intact).toBe(false);
  expect(report.sessions.find((row) => row.session === session)?.report).toMatchObject({
    intact: false,
    problem: 'altered',
    message: expect.stringMatching(new RegExp(`\\b${table}\\b`)),
  });
  if (session === 'A') expect((await store.audit({ session })).intact).toBe(false);
  // The log is intact: after a rebuild the tables match.
  if (session === 'A') {
    await store.rebuild();
    expect((await store.audit()).intact).toBe(true);
  }
});

test('a forged approval for a project is detected', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const lease = (await store.claim('A'))!;
  await store.append('A', toSampleDrafts(), { lease });
  await lease.release();
  const database = new Database(toDatabaseFile(home.path));
  database.run(
    `INSERT INTO remembered (approval, session_id, workspace, agent, record, created_at)
      VALUES ('forged', 'A', '/home/ada/sum', 'klaus', '{}', '2026-01-02T03:04:05.000Z')`,
  );
  database.close();
  expect((await store.audit({ session: 'A' })).sessions[0]!.report).toMatchObject({
    intact: false,
    problem: 'altered',
    message: expect.stringMatching(/\bremembered\b/),
  });
});
