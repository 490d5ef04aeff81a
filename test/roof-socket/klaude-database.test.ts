// Covers adapters/store/sqlite/queries, apps/cli/commands/system: the tables of klaude, as an export and as views.
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { runKlaus } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { openInstancePlace } from './open-instance.ts';

/** The tables of the klaude database with their columns. */
const COLUMNS = {
  projects: 'id root_path project_hash created_at',
  instances: 'instance_id project_id pid tty started_at ended_at exit_code metadata_json',
  sessions:
    'id project_id parent_id agent_type instance_id title prompt status created_at updated_at ended_at last_claude_session_id last_transcript_path current_process_pid metadata_json',
  claude_session_links: 'id klaude_session_id claude_session_id transcript_path source started_at ended_at',
  runtime_process: 'id klaude_session_id pid kind started_at exited_at exit_code is_current',
  events: 'id project_id klaude_session_id kind payload_json created_at',
};

test('the export has the tables and columns of klaude, and the views the same rows', async () => {
  await using opened = await openInstancePlace();
  const { place } = opened;
  const instance = await opened.open();
  const script = instance.connect();
  const { sessionId: first } = (await script.ask('start-agent', { agentType: 'programmer', prompt: 'Work.' })).result;
  const { sessionId: second } = (await script.ask('start-agent', { agentType: 'reader', prompt: 'hang' })).result;
  await script.ask('status', { sessionId: first, waitSeconds: 30 });
  await script.ask('interrupt', { sessionId: second });
  // A project without a session.
  mkdirSync(join(place.workspace, 'inner'));
  const other = await opened.open({ cwd: join(place.workspace, 'inner') });
  const file = join(place.home, 'export.db');
  const exported = await runKlaus(['db', 'export', '--klaude', file, '--json'], { place });
  expect({ code: exported.code, stderr: exported.stderr }).toEqual({ code: 0, stderr: '' });
  expect(statSync(file).mode & 0o777).toBe(0o400);
  const database = new DatabaseSync(file, { readOnly: true });
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
  const { rows } = JSON.parse(exported.stdout) as { rows: Record<string, number> };
  for (const [table, columns] of Object.entries(COLUMNS)) {
    const found = database.prepare(`SELECT name FROM pragma_table_info(?)`).all(table);
    expect(found.map(({ name }) => name).join(' ')).toBe(columns);
    const all = database.prepare(`SELECT * FROM ${table} ORDER BY 1`).all();
    expect(all).toHaveLength(rows[table]!);
    const viewed = await runKlaus(['db', 'query', '--klaude', '--json', `SELECT * FROM ${table} ORDER BY 1`], {
      place,
    });
    const lines = viewed.stdout.split('\n').filter(Boolean);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(all.map((row) => ({ ...row })));
  }
  const sessions = database.prepare(
    'SELECT id, parent_id, agent_type, instance_id, prompt, status FROM sessions ORDER BY id',
  );
  const common = { instance_id: instance.id };
  expect(sessions.all().map((row) => ({ ...row }))).toEqual([
    { id: first, parent_id: null, agent_type: 'programmer', prompt: 'Work.', status: 'done', ...common },
    { id: second, parent_id: first, agent_type: 'reader', prompt: 'hang', status: 'interrupted', ...common },
  ]);
  expect(database.prepare('SELECT project_hash FROM projects ORDER BY id DESC').all()).toMatchObject([
    { project_hash: instance.project },
    { project_hash: other.project },
  ]);
  database.close();
});

test(
  'a file that exists is not replaced, and without a database there is nothing to export',
  { tags: ['long'] },
  async () => {
    await using opened = await openInstancePlace();
    const { place } = opened;
    await opened.open();
    const file = join(place.home, 'klaus.db');
    expect((await runKlaus(['db', 'export', '--klaude', file, '--json'], { place })).code).toBe(2);
    const nowhere = join(place.home, 'nowhere', 'export.db');
    expect((await runKlaus(['db', 'export', '--klaude', nowhere], { place })).code).toBe(2);
    using empty = createTestHome();
    const unused = join(empty.workspace, 'export.db');
    expect((await runKlaus(['db', 'export', '--klaude', unused], { place: empty })).code).toBe(3);
    expect(existsSync(unused)).toBe(false);
  },
);
