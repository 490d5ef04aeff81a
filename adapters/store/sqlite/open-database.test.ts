import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { overwrite } from '../fixtures/damage.ts';
import { toNotice } from '../fixtures/sample-events.ts';
import { startStoreProcess } from '../fixtures/store-process.ts';
import { createTemporaryHome } from '../fixtures/temporary-home.ts';
import { Database } from './database.ts';
import { createMigrationsTable, migrate, MIGRATIONS } from './migrations/migrate.ts';
import { PAGE_SIZE, toDatabaseFile } from './open-database.ts';
import { createSqliteStore } from './sqlite-store.ts';

/** Bytes of all files of the database, except the shared memory, which SQLite may recreate. */
function readFiles(home: string): Record<string, string> {
  const names = readdirSync(home).filter((name) => name.startsWith('klaus.db') && !name.endsWith('-shm'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(home, name), 'hex')]));
}

test('no other user can read the state folder, even one that had access before', async () => {
  using home = createTemporaryHome();
  const path = join(home.path, 'deep', 'home');
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
  using store = createSqliteStore({ home: path });
  await store.append('A', [toNotice('1')], { lease: (await store.claim('A'))! });
  expect(statSync(path).mode & 0o777).toBe(0o700);
  for (const name of ['klaus.db', 'klaus.db-wal', 'klaus.db-shm', 'klaus.lock', 'locks/A.lock']) {
    expect([name, statSync(join(path, name)).mode & 0o777]).toEqual([name, 0o600]);
  }
  expect(statSync(join(path, 'locks')).mode & 0o777).toBe(0o700);
});

test.for([
  ['a destroyed header', (file: string) => overwrite(file, 0, 100)],
  ['a destroyed first page', (file: string) => overwrite(file, 100, PAGE_SIZE - 100)],
  ['a cut file', (file: string) => truncateSync(file, 3 * PAGE_SIZE)],
  ['an empty file', (file: string) => truncateSync(file, 0)],
  ['a missing file beside its log', (file: string) => rmSync(file)],
  ['a text', (file: string) => writeFileSync(file, 'no database\n'.repeat(1_000))],
] as const)('%s is refused and nothing is touched', async ([, damage]) => {
  using home = createTemporaryHome();
  const file = toDatabaseFile(home.path);
  {
    using store = createSqliteStore({ home: home.path });
    await store.append(
      'A',
      Array.from({ length: 100 }, () => toNotice('x'.repeat(500))),
      { lease: (await store.claim('A'))! },
    );
  }
  // A killed process leaves a write-ahead log with what it wrote last.
  const killed = startStoreProcess(home.path);
  await killed.ask('claim A');
  await killed.ask('append A 3');
  await killed.kill();
  expect(existsSync(`${file}-wal`)).toBe(true);
  damage(file);
  const before = readFiles(home.path);
  expect(() => createSqliteStore({ home: home.path })).toThrow(
    expect.objectContaining({
      code: 'store.corrupt',
      message: expect.stringContaining(file),
      hint: expect.stringContaining('klaus db recover'),
    }),
  );
  expect(readFiles(home.path)).toEqual(before);
});

test('a damaged page further in is found when it is read', async () => {
  using home = createTemporaryHome();
  {
    using store = createSqliteStore({ home: home.path });
    await store.append(
      'A',
      Array.from({ length: 500 }, () => toNotice('x'.repeat(500))),
      { lease: (await store.claim('A'))! },
    );
  }
  overwrite(toDatabaseFile(home.path), 80 * PAGE_SIZE, 20 * PAGE_SIZE);
  using store = createSqliteStore({ home: home.path });
  expect(() => [...store.view.events('A')]).toThrow(expect.objectContaining({ code: 'store.corrupt' }));
});

test('a database of another program is not taken over', () => {
  using home = createTemporaryHome();
  const foreign = new DatabaseSync(toDatabaseFile(home.path));
  foreign.exec('CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES (1)');
  foreign.close();
  const before = readFiles(home.path);
  expect(() => createSqliteStore({ home: home.path })).toThrow(expect.objectContaining({ code: 'store.corrupt' }));
  expect(readFiles(home.path)).toEqual(before);
});

test('a schema of a newer Klaus is refused by its name', async () => {
  using home = createTemporaryHome();
  await createSqliteStore({ home: home.path }).close();
  const database = new Database(toDatabaseFile(home.path));
  database.run(`INSERT INTO migrations (name, applied_at) VALUES ('m999-future', '')`);
  database.close();
  expect(() => createSqliteStore({ home: home.path })).toThrow(
    expect.objectContaining({
      code: 'store.corrupt',
      message: expect.stringContaining('m999-future'),
      hint: expect.stringContaining('KLAUS_HOME'),
    }),
  );
});

test('a new migration is applied completely and once, or not at all', async () => {
  using home = createTemporaryHome();
  await createSqliteStore({ home: home.path }).close();
  const database = new Database(toDatabaseFile(home.path));
  const names = () => database.all<{ name: string }>('SELECT name FROM migrations').map(({ name }) => name);
  const broken = {
    name: 'm998-broken',
    apply(target: Database) {
      target.exec('CREATE TABLE half (id INTEGER)');
      throw new Error('stopped in the middle');
    },
  };
  expect(() => migrate(database, [...MIGRATIONS, broken])).toThrow('stopped in the middle');
  expect(names()).toEqual(MIGRATIONS.map(({ name }) => name));
  const complete = {
    name: 'm998-complete',
    apply: (target: Database) => target.exec('CREATE TABLE half (id INTEGER)'),
  };
  migrate(database, [...MIGRATIONS, complete]);
  migrate(database, [...MIGRATIONS, complete]);
  expect(names()).toEqual([...MIGRATIONS.map(({ name }) => name), 'm998-complete']);
  database.close();
});

test('an older database keeps its rows when its tables are recreated', () => {
  using home = createTemporaryHome();
  const database = new Database(toDatabaseFile(home.path));
  createMigrationsTable(database);
  migrate(
    database,
    MIGRATIONS.filter(({ name }) => name < 'm011'),
  );
  const at = '2026-01-02T03:04:05.000Z';
  database.run(
    `INSERT INTO sessions (id, workspace_dir, created_at, updated_at, last_seq) VALUES ('A', '/w', '${at}', '${at}', 9)`,
  );
  database.exec(`
INSERT INTO messages VALUES (3, 'A', 'user', 'Tidy up.', NULL, NULL, '${at}', 'user');
INSERT INTO messages VALUES (7, 'A', 'tool', 'done', 'run_command', 'call-1', '${at}', 'tools');
INSERT INTO tool_calls VALUES (2, 'A', 'run_command', '{}', 'done', 1, 12, '${at}', 'call-1', 4, 'ok');
INSERT INTO token_usage (id, session_id, model, input_tokens, output_tokens, created_at, cache_read_tokens,
  cache_write_tokens, cost_usd, purpose, turn, outcome) VALUES (5, 'A', 'm', 1, 2, '${at}', 3, 4, 0.5, 'turn', 4, 'error')`);
  const tables = ['messages', 'tool_calls', 'token_usage'] as const;
  const read = () =>
    tables.map((table) => [
      database.all(`SELECT * FROM ${table} ORDER BY id`),
      database.all('SELECT name FROM sqlite_schema WHERE tbl_name = ? ORDER BY name', table),
      database.all('SELECT name, "notnull", dflt_value FROM pragma_table_info(?) ORDER BY name', table),
    ]);
  const before = read();
  expect(before.map(([rows]) => rows!.length)).toEqual([2, 1, 1]);
  migrate(
    database,
    MIGRATIONS.filter(({ name }) => name < 'm013'),
  );
  expect(read()).toEqual(before);
  expect(database.all('PRAGMA foreign_key_check')).toEqual([]);
  expect(() =>
    database.exec(`INSERT INTO messages SELECT 8, 'missing', role, content, tool_name, tool_call_id,
    created_at, origin FROM messages LIMIT 1`),
  ).toThrow(/FOREIGN KEY/);
  database.close();
});

test('a database of before counts the cached part of a prompt as input', () => {
  using home = createTemporaryHome();
  const database = new Database(toDatabaseFile(home.path));
  createMigrationsTable(database);
  migrate(
    database,
    MIGRATIONS.filter(({ name }) => name < 'm013'),
  );
  database.exec(`
INSERT INTO sessions (id, workspace_dir, created_at, updated_at, input_tokens, cache_read_tokens,
  cache_write_tokens) VALUES ('A', '/w', '', '', 1, 30, 400), ('B', '/w', '', '', 5, 0, 0);
INSERT INTO token_usage (session_id, model, input_tokens, output_tokens, created_at, cache_read_tokens,
  cache_write_tokens, purpose, turn) VALUES ('A', 'm', 1, 2, '', 30, 400, 'turn', 1), ('B', 'm', 5, 2, '', 0, 0, 'turn', 1)`);
  migrate(database);
  for (const table of ['sessions', 'token_usage']) {
    const rows = database.all<{ tokens: number }>(`SELECT input_tokens AS tokens FROM ${table} ORDER BY tokens`);
    expect(rows.map(({ tokens }) => tokens)).toEqual([5, 431]);
  }
  database.close();
});

test('a home that is a file is a wrong setting', () => {
  using home = createTemporaryHome();
  const file = join(home.path, 'file');
  writeFileSync(file, '');
  expect(() => createSqliteStore({ home: file })).toThrow(expect.objectContaining({ code: 'config' }));
});

test('a home that is a link to nowhere, such as a disk that is not mounted, is a wrong setting', () => {
  using home = createTemporaryHome();
  const link = join(home.path, 'link');
  symlinkSync(join(home.path, 'disk', 'klaus'), link);
  expect(() => createSqliteStore({ home: link })).toThrow(expect.objectContaining({ code: 'config' }));
});
