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

test('a forged approval for a project is detected also if its session is gone or was never there', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const lease = (await store.claim('A'))!;
  const remember = { agent: 'klaus', tool: 'write_file', rules: ['path'], paths: ['.envrc'] };
  const drafts = toSampleDrafts().map((draft) =>
    draft.type === 'approval.answered' ? { ...draft, scope: 'project' as const, remember } : draft,
  );
  await store.append('A', drafts, { lease });
  await lease.release();
  const genuine = await store.remembered();
  expect(genuine.map(({ session }) => session)).toEqual(['A']);
  expect((await store.clearSessions({ ids: ['A'] })).cleared).toEqual(['A']);
  expect(await store.remembered()).toEqual(genuine);
  expect(await store.audit()).toMatchObject({ intact: true, sessions: [] });
  const altered = async (sql: string): Promise<unknown> => {
    const database = new Database(toDatabaseFile(home.path));
    database.exec('SAVEPOINT before');
    database.run(sql);
    database.exec('RELEASE before');
    database.close();
    return (await store.audit()).sessions.map(({ session, report }) => [session, report.intact]);
  };
  expect(
    await altered(
      `INSERT INTO remembered (approval, session_id, workspace, agent, record, created_at)
        VALUES ('forged', 'B', '/home/ada/sum', 'klaus', '{}', '2026-01-02T03:04:05.000Z')`,
    ),
  ).toEqual([['B', false]]);
  expect(await altered("DELETE FROM remembered WHERE approval = 'forged'")).toEqual([]);
  // Of the deleted session, and not recorded with its deletion.
  expect(
    await altered(
      "INSERT INTO remembered SELECT 'later', session_id, workspace, agent, record, created_at FROM remembered",
    ),
  ).toEqual([['A', false]]);
  expect(await altered("DELETE FROM remembered WHERE approval = 'later'")).toEqual([]);
  expect(await altered("UPDATE remembered SET record = replace(record, 'write_file', 'run_command')")).toEqual([
    ['A', false],
  ]);
});

test('a planted trigger is detected', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  expect(await store.audit()).toMatchObject({ intact: true });
  const database = new Database(toDatabaseFile(home.path));
  database.exec('CREATE TRIGGER more AFTER INSERT ON events BEGIN DELETE FROM knowledge; END');
  database.close();
  expect(await store.audit()).toMatchObject({ intact: false, host: { problem: 'altered' } });
});
