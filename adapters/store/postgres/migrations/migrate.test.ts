import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPostgres, openPostgres, type PostgresDatabases } from '../../fixtures/postgres-server.ts';
import { openDatabase, type Database } from '../database.ts';
import { migrate, MIGRATIONS } from './migrate.ts';

describe.skipIf(!findPostgres())('migrations (needs Postgres)', () => {
  let server: PostgresDatabases;
  beforeAll(async () => void (server = await openPostgres()));
  afterAll(() => server[Symbol.asyncDispose]());

  const readNames = async (database: Database): Promise<string[]> =>
    (await database.all<{ name: string }>('SELECT name FROM migrations ORDER BY name')).map(({ name }) => name);

  test('processes that create the schema at the same time apply each step once', async () => {
    const url = await server.createDatabase();
    const databases = Array.from({ length: 4 }, () => openDatabase({ url }));
    await Promise.all(databases.map((database) => migrate(database)));
    expect(await readNames(databases[0]!)).toEqual(MIGRATIONS.map(({ name }) => name));
    expect(await databases[1]!.get('SELECT seq, hash FROM host_head')).toEqual({ seq: 0, hash: '0'.repeat(64) });
    await Promise.all(databases.map((database) => database.close()));
  });

  test('sessions keep their times when these move to the ends of the logs', async () => {
    const database = openDatabase({ url: await server.createDatabase() });
    const at = MIGRATIONS.findIndex(({ name }) => name === 'm008-add-events');
    await migrate(database, MIGRATIONS.slice(0, at));
    await database.script(`INSERT INTO heads (session_id, seq, hash, fence) VALUES ('A', 1, 'h', 1), ('empty', 0, 'h', 1);
      INSERT INTO sessions (id, workspace_dir, created_at, updated_at) VALUES ('A', '/srv', '2026-01-01', '2026-02-03T04:05:06Z')`);
    await migrate(database);
    const rows = await database.all('SELECT id, created_at, updated_at, updated_minute FROM dated_sessions');
    expect(rows).toEqual([
      { id: 'A', created_at: '2026-01-01', updated_at: '2026-02-03T04:05:06Z', updated_minute: '2026-02-03T04:05' },
    ]);
    await database.close();
  });

  test('a step that fails leaves the schema as it was, and an unknown step is refused', async () => {
    const database = openDatabase({ url: await server.createDatabase() });
    await migrate(database);
    const steps = [...MIGRATIONS, { name: 'm999-broken', apply: 'CREATE TABLE half (id integer); SELECT 1 / 0;' }];
    await expect(migrate(database, steps)).rejects.toMatchObject({ code: '22012' });
    expect(await database.get("SELECT to_regclass('half') AS name")).toEqual({ name: null });
    await migrate(database, [...MIGRATIONS, { name: 'm999-later', apply: 'CREATE TABLE later (id integer)' }]);
    await expect(migrate(database)).rejects.toMatchObject({ code: 'store.corrupt' });
    await database.close();
  });
});
