// Covers docs, adapters/store/sqlite/migrations: the documented tables and columns exist.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listSessions, runKlaus, startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/database.md'), 'utf8');

test('the page names the tables and columns that there are, and its queries run; nothing else does', async () => {
  using place = createTestHome();
  await using server = await startServer({ steps: [], fallback: { text: 'Done.' } });
  const klaus = (...words: string[]) => runKlaus(words, { place, server });
  expect(await klaus('db', 'query', 'SELECT 1')).toMatchObject({ code: 3 });
  await klaus('say it');
  const [session] = await listSessions(place);
  const read = async (sql: string): Promise<Record<string, unknown>[]> => {
    const result = await klaus('db', 'query', sql, '--json');
    expect(result).toMatchObject({ code: 0 });
    return result.stdout
      .split('\n')
      .filter(Boolean)
      .map((row) => JSON.parse(row) as Record<string, unknown>);
  };

  const rows = [...PAGE.matchAll(/^\| `(\w+)` \| .* \| (`.*`) \|$/gm)];
  expect(rows.length).toBeGreaterThan(5);
  for (const [, table, columns] of rows) {
    const there = await read(`SELECT name FROM pragma_table_info('${table}') ORDER BY cid`);
    expect([table, there.map(({ name }) => name)]).toEqual([table, columns!.replaceAll('`', '').split(', ')]);
  }
  const examples = [...PAGE.matchAll(/^klaus db query "(.+)"$/gm)].map(([, sql]) => sql!);
  expect(examples).toHaveLength(3);
  expect((await read(examples[0]!))[0]).toMatchObject({ id: session!.id });
  for (const sql of examples) expect((await read(sql)).length).toBeLessThanOrEqual(5);
  expect((await klaus('db', 'query', 'SELECT title FROM sessions')).stdout).toMatch(/^title\s*\nsay it/);
  expect(
    await klaus(
      'db',
      'query',
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n',
      '--limit',
      '3',
      '--json',
    ),
  ).toMatchObject({
    code: 0,
    stdout: '{"i":1}\n{"i":2}\n{"i":3}\n',
    stderr: expect.stringContaining('first 3 rows'),
  });

  const file = join(place.home, 'klaus.db');
  const before = statSync(file).mtimeMs;
  for (const sql of [
    'DELETE FROM sessions',
    'SELECT 1; DELETE FROM sessions',
    '/* a */ UPDATE sessions SET title = 1',
    'WITH x AS (SELECT 1) DELETE FROM sessions',
    "ATTACH '/tmp/other.db' AS other",
    'PRAGMA journal_mode = DELETE',
    'SELECT * FROM no_such_table',
    'VACUUM',
    '',
  ]) {
    expect([sql, (await klaus('db', 'query', sql)).code]).toEqual([sql, 2]);
  }
  expect(await read("SELECT 'a;b' AS text")).toEqual([{ text: 'a;b' }]);
  expect(statSync(file).mtimeMs).toBe(before);
  expect(await read('SELECT COUNT(*) AS n FROM sessions')).toEqual([{ n: 1 }]);
});
