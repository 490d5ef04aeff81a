import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Draft } from '@klaus/core/agent';
import type { Part } from '@klaus/core/protocol';
import { addEvents } from '../../fixtures/postgres-events.ts';
import { findPostgres, openPostgres } from '../../fixtures/postgres-server.ts';
import { toSampleDrafts } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { createSqliteStore, type SqliteStore } from '../../sqlite/sqlite-store.ts';
import { openDatabase, type Database } from '../database.ts';
import { migrate } from '../migrations/migrate.ts';
import { createRecall } from './recall.ts';

const FILLER = 'The quick service logs another ordinary line about requests, users, ports, teams.';
const lines = (n: number): string => Array.from({ length: n }, (_, at) => `${at} ${FILLER}`).join('\n');

let count = 0;
function say(...parts: Part[]): Draft {
  const message = { id: `m${++count}`, role: 'assistant' as const, origin: 'model' as const, parts };
  return { type: 'message.added', run: 'R', turn: 1, message, at: 1 };
}
const said = (text: string): Draft => say({ type: 'text', text });

describe.skipIf(!findPostgres())('recall in Postgres (needs Postgres)', () => {
  const stack = new AsyncDisposableStack();
  let sqlite: SqliteStore;
  let database: Database;
  beforeAll(async () => {
    const server = stack.use(await openPostgres());
    const home = createTemporaryHome();
    stack.defer(() => home[Symbol.dispose]());
    sqlite = stack.use(createSqliteStore({ home: home.path }));
    database = openDatabase({ url: await server.createDatabase() });
    stack.defer(() => database.close());
    await migrate(database);
    const blob = sqlite.writeBlob();
    blob.write(new TextEncoder().encode(`${lines(6_000)}\nthe vault number is 20931 heron\n${lines(10)}`));
    await add('S1', [
      toSampleDrafts()[0]!,
      said('Please remember: the gate code is 4711, said the owl.'),
      said(`${lines(60)}\nThe café's bridges are closed on Fridays.\n${lines(60)}`),
      say({ type: 'call', id: 'k1', name: 'write_file', input: { path: 'a.ts', content: 'const owlRetries = 7;\n' } }),
      { ...toSampleDrafts()[10]!, output: 'the pelican\0sleeps \uD800 here' } as Draft,
      { ...toSampleDrafts()[10]!, output: 'part', blob: await blob.finish() } as Draft,
      said('The branch is named feature/quince, near the river and the mill.'),
    ]);
    await add('S2', [toSampleDrafts()[0]!, said('Another session mentions the owl and quince.')]);
  }, 60_000);
  afterAll(() => stack.disposeAsync());

  const add = async (session: string, drafts: Draft[]) => {
    const lease = (await sqlite.claim(session))!;
    await addEvents(database, await sqlite.append(session, drafts, { lease }), { maxToolResultSize: 100 });
    await lease.release();
  };
  const open = (session: string) => createRecall(database, { session, readBlob: (hash) => sqlite.readBlob(hash) });

  test.each([
    '4711',
    'gate code',
    'owl',
    'retries',
    'cafe bridge Friday',
    'quince river mill',
    'pelican',
    'heron vault number',
    'feature/quince',
    'the',
    'nothingness',
    '',
    '"',
    "'; DROP TABLE events --",
    "a' & !b:*",
    '\0',
    '\uD800',
    'x '.repeat(5_000),
  ])('the best hit for %j is that of SQLite', async (query) => {
    const [own, other] = [await open('S1').search(query), await sqlite.recall('S1').search(query)];
    expect(own.skipped).toEqual(other.skipped);
    expect(own.hits[0]?.seq).toBe(other.hits[0]?.seq);
    expect(own.hits[0]?.text).toBe(other.hits[0]?.text);
    expect(new Set(own.hits.map(({ title }) => title))).toEqual(new Set(other.hits.map(({ title }) => title)));
  });

  test('searches at the same time index each record once, and later records are found', async () => {
    await Promise.all(Array.from({ length: 4 }, () => open('S2').search('owl')));
    const documents = await database.get("SELECT count(*) AS count FROM recall_documents WHERE session_id = 'S2'");
    expect(documents).toEqual({ count: 1 });
    await add('S2', [said('A zebra came later.')]);
    expect((await open('S2').search('zebra')).hits.map(({ seq }) => seq)).toEqual([3]);
    expect((await open('S1').search('zebra')).hits).toEqual([]);
  });

  test.each([0, 1, 2, 6, 7, 99])('the text of record %i', async (seq) => {
    for (const options of [{ max: 40 }, { start: 10, max: 25 }, { start: 1e9, max: 5 }])
      expect(await open('S1').read(seq, options)).toEqual(await sqlite.recall('S1').read(seq, options));
  });
});
