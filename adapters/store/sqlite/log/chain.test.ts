import { expect, test } from 'vitest';
import { toNotice } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { Database } from '../database.ts';
import { toDatabaseFile } from '../open-database.ts';
import { createSqliteStore } from '../sqlite-store.ts';
import type { ChainReport } from '@klaus/core/agent';

/** What `verify` says of a log of six records after somebody worked on the database. */
async function verifyAfter(tamper: (database: Database) => void): Promise<ChainReport> {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const drafts = Array.from({ length: 6 }, (_, index) => toNotice(`text ${index + 1}`));
  await store.append('A', drafts, { lease: (await store.claim('A'))! });
  expect(await store.verify('A')).toEqual({ intact: true, records: 6 });
  const database = new Database(toDatabaseFile(home.path));
  tamper(database);
  database.close();
  return await store.verify('A');
}

const edit = (seq: number, from: string, to: string) => (database: Database) =>
  void database.run('UPDATE events SET record = replace(record, ?, ?) WHERE seq = ?', from, to, seq);

test.for([
  ['a text in the middle', edit(3, 'text 3', 'TEXT 3'), 3, 'altered'],
  ['the first record', edit(1, 'text 1', 'TEXT 1'), 1, 'altered'],
  ['the last record', edit(6, 'text 6', 'TEXT 6'), 6, 'altered'],
  ['the last record but one', edit(5, 'text 5', 'TEXT 5'), 5, 'altered'],
  ['the link of a record', edit(4, '"prev":"', '"prev":"0'), 4, 'altered'],
  ['a record made unreadable', edit(2, '{', '['), 2, 'altered'],
  ['a record in the middle', (database) => void database.run('DELETE FROM events WHERE seq = 4'), 4, 'dropped'],
  ['the first record', (database) => void database.run('DELETE FROM events WHERE seq = 1'), 1, 'dropped'],
  ['the tail', (database) => void database.run('DELETE FROM events WHERE seq > 4'), 5, 'dropped'],
  ['everything', (database) => void database.run('DELETE FROM events'), 1, 'dropped'],
  [
    'two records',
    (database) => {
      database.run('UPDATE events SET seq = 99 WHERE seq = 2');
      database.run('UPDATE events SET seq = 2 WHERE seq = 5');
      database.run('UPDATE events SET seq = 5 WHERE seq = 99');
    },
    2,
    'reordered',
  ],
] satisfies [string, (database: Database) => void, number, string][])(
  'tampering with %s: $3 at record $2',
  async ([, tamper, seq, problem]) => {
    const report = await verifyAfter(tamper);
    expect(report).toMatchObject({ intact: false, seq, problem, records: seq - 1 });
  },
);

test('a record added behind the head is found', async () => {
  const report = await verifyAfter(
    (database) =>
      void database.run(
        `INSERT INTO events (session_id, seq, type, record) VALUES ('A', 7, 'notice', '{"v":1,"seq":7,"session":"A"}')`,
      ),
  );
  expect(report).toMatchObject({ intact: false, seq: 7, problem: 'altered' });
});

test('a session without a record has an intact chain', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  expect(await store.verify('A')).toEqual({ intact: true, records: 0 });
});
