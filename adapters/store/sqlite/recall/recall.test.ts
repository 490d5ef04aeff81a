import { readFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { Draft } from '@klaus/core/agent';
import type { BlobRef, Part } from '@klaus/core/protocol';
import { toSampleDrafts } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { toDatabaseFile } from '../open-database.ts';
import { createSqliteStore, type SqliteStore } from '../sqlite-store.ts';

const OPENING = toSampleDrafts()[0]!;
let count = 0;

function toMessage(parts: Part[], origin: 'user' | 'model' = 'user'): Draft {
  const message = {
    id: `m${++count}`,
    role: origin === 'user' ? ('user' as const) : ('assistant' as const),
    origin,
    parts,
  };
  return { type: 'message.added', run: 'R', turn: 1, message, at: 1 };
}

const said = (text: string, origin: 'user' | 'model' = 'user') => toMessage([{ type: 'text', text }], origin);

function toResult(output: string, more: { blob?: BlobRef; name?: string } = {}): Draft {
  const { name = 'run_command', ...rest } = more;
  const head = { run: 'R', turn: 1, call: `c${++count}`, index: 0, name };
  return { type: 'tool.finished', ...head, outcome: 'ok', output, changes: [], durationMs: 1, at: 1, ...rest };
}

async function fill(store: SqliteStore, session: string, drafts: Draft[]) {
  const lease = (await store.claim(session))!;
  const events = await store.append(session, drafts, { lease });
  await lease.release();
  return events;
}

async function writeBlob(store: SqliteStore, text: string): Promise<BlobRef> {
  const writer = store.writeBlob();
  writer.write(new TextEncoder().encode(text));
  return writer.finish();
}

const FILLER = 'The quick service logs another ordinary line about requests, users, ports, teams.';
const lines = (n: number) => Array.from({ length: n }, (_, at) => `${at} ${FILLER}`).join('\n');

test('text is found where it stands, exactly, in whatever kind of record', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const blob = await writeBlob(store, `${lines(900)}\nmiddle: the owl is called Athena\n${lines(900)}`);
  await fill(store, 'S1', [
    OPENING,
    said('Please remember: the gate code is 4711.'),
    said('I decided to name the branch feature/quince.', 'model'),
    toMessage(
      [{ type: 'call', id: 'k1', name: 'write_file', input: { path: 'a.ts', content: 'const owlRetries = 7;\n' } }],
      'model',
    ),
    toMessage(
      [{ type: 'call', id: 'k2', name: 'use_tool', input: { name: 'git_log', input: { path: 'zebra.txt' } } }],
      'model',
    ),
    toMessage([{ type: 'file', name: 'log.txt', mediaType: 'text/plain', text: 'line\nthe pelican sleeps\n' }]),
    toResult('0 The quick [… cut …]', { blob, name: 'read_file' }),
  ]);
  const recall = store.recall('S1');
  const find = async (query: string) => (await recall.search(query)).hits[0];
  expect(await find('gate code')).toMatchObject({
    seq: 2,
    title: 'the user',
    text: 'Please remember: the gate code is 4711.',
  });
  expect(await find('which branch did I name quince?')).toMatchObject({ seq: 3, title: 'the assistant' });
  expect((await find('owl retries'))!.text).toContain('const owlRetries = 7;');
  expect((await find('zebra'))!.text).toContain('Call git_log:\npath: zebra.txt');
  expect((await find('pelican'))!.text).toContain('the pelican sleeps');
  const owl = (await find('what is the owl called'))!;
  expect(owl.text).toMatch(/^middle: the owl is called Athena$/m);
  // A place leads to the text around it, page by page, and the pages make the whole.
  expect(owl.length).toBeGreaterThan(100_000);
  let whole = '';
  for (let start = 0; start < owl.length; start = whole.length)
    whole += (await recall.read(owl.seq, { start, max: 6_000 }))!.text;
  expect(Buffer.from(whole)).toEqual(Buffer.from((await store.readBlob(blob.hash))!));
  expect(whole.slice(owl.start).startsWith(owl.text)).toBe(true);
});

test('of many alike the one in which the words stand together comes first', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const names = ['heron', 'osprey', 'plover', 'curlew', 'dunlin', 'avocet', 'gannet', 'fulmar', 'petrel', 'skua'];
  const facts = [
    'requests to {} time out after {n} ms',
    'the {} service listens on port {n}',
    'the {} service belongs to team-{n}',
  ];
  const all = facts.flatMap((fact, at) =>
    names.map((name, n) => fact.replace('{}', name).replace('{n}', `${at}${n}00`)),
  );
  const drafts = all.map((fact, at) =>
    at % 2 === 0 ? said(`${fact}\n${lines(30)}`) : toResult(`${lines(30)}\n${fact}\n${lines(30)}`),
  );
  await fill(store, 'S1', [OPENING, ...drafts, ...drafts]);
  const recall = store.recall('S1');
  for (const [at, name] of names.entries()) {
    for (const query of [`${name} timeout ms`, `port of the ${name} service`, `team that owns the ${name} service`]) {
      const fact = all.find(
        (text) =>
          text.includes(name) &&
          text.includes(query.includes('port') ? 'port' : query.includes('team') ? 'team' : ' ms'),
      );
      expect((await recall.search(query)).hits[0]!.text, `${query} ${at}`).toContain(fact);
    }
  }
});

test('a text that is too long for the index is found all the same, near its end too', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const blob = await writeBlob(store, `${lines(30_000)}\nthe osprey service listens on port 4242\n${lines(10)}`);
  await fill(store, 'S1', [OPENING, said('the osprey is a bird'), toResult('cut', { blob })]);
  const { hits } = await store.recall('S1').search('osprey port');
  expect(hits[0]).toMatchObject({ seq: 3 });
  expect(hits[0]!.text).toContain('listens on port 4242');
  expect(hits.map(({ seq }) => seq)).toContain(2);
});

test('what was added since is found; what another session said is not; copies are not', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await fill(store, 'S1', [OPENING, said('the heron is grey')]);
  await fill(store, 'S2', [OPENING, said('the heron is of session two')]);
  const recall = store.recall('S1');
  expect((await recall.search('heron')).hits.map(({ text }) => text)).toEqual(['the heron is grey']);
  await fill(store, 'S1', [
    said('a second heron came'),
    toResult('the heron is grey', { name: 'recall' }),
    toMessage([{ type: 'call', id: 'r', name: 'recall', input: { query: 'heron' } }], 'model'),
  ]);
  expect((await recall.search('heron')).hits.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual([2, 3]);
  // Two at once make one index.
  await fill(store, 'S1', [said('a third heron came')]);
  using other = createSqliteStore({ home: home.path });
  const [a, b] = await Promise.all([recall.search('third'), other.recall('S1').search('third')]);
  expect(a.hits).toEqual(b.hits);
  expect(a.hits).toHaveLength(1);
});

test.each([
  '',
  ' ',
  '"',
  "'; DROP TABLE events; --",
  'NEAR(',
  'a AND',
  '*',
  'session:S2',
  '^x',
  '-',
  '\u0000',
  '🧮',
  'ß'.repeat(20_000),
  '('.repeat(5_000),
  'the of and',
])('no query breaks it: %j', async (query) => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await fill(store, 'S2', [OPENING, said('secret of session two')]);
  await fill(store, 'S1', [OPENING, said('an ordinary line')]);
  const { hits } = await store.recall('S1').search(query);
  expect(hits.filter(({ text }) => text.includes('session two'))).toEqual([]);
});

test('records without text, and numbers that are none, give nothing', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await fill(store, 'S1', [OPENING, said('one')]);
  const recall = store.recall('S1');
  expect(await recall.read(1, { max: 10 })).toBeUndefined();
  expect(await recall.read(99, { max: 10 })).toBeUndefined();
  expect(await recall.read(0, { max: 10 })).toBeUndefined();
  expect(await recall.read(2, { start: 99, max: 10 })).toMatchObject({ text: '', start: 3, length: 3 });
});

test('a session that is deleted leaves no word of it in the index', async () => {
  using home = createTemporaryHome();
  {
    using store = createSqliteStore({ home: home.path });
    await fill(store, 'S1', [OPENING, said(`the xylophonist of ${'session one '.repeat(50)}`)]);
    await fill(store, 'S2', [OPENING, said('the heron stays')]);
    expect((await store.recall('S1').search('xylophonist')).hits).toHaveLength(1);
    expect((await store.recall('S2').search('heron')).hits).toHaveLength(1);
    expect((await store.clearSessions({ ids: ['S1'] })).cleared).toEqual(['S1']);
    expect((await store.recall('S1').search('xylophonist')).hits).toEqual([]);
    expect((await store.recall('S2').search('heron')).hits).toHaveLength(1);
  }
  const file = toDatabaseFile(home.path);
  const database = new DatabaseSync(file);
  const rows = database.prepare('SELECT count(*) AS n FROM recall_chunks').get() as { n: number };
  database.close();
  expect(rows.n).toBe(1);
  expect(readFileSync(file).includes('xylophon')).toBe(false);
  rmSync(file, { force: true });
});
