import { readFileSync } from 'node:fs';
import { EVENT_VERSION, eventBodySchema, eventSchema, FIRST_PREV } from '@klaus/core/protocol';
import type { Event } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { toNotice, toSampleDrafts } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { Database } from '../database.ts';
import { PAGE_SIZE, toDatabaseFile } from '../open-database.ts';
import { toHash } from './record.ts';
import { createSqliteStore, type SqliteStore } from '../sqlite-store.ts';

/** Commits in a write-ahead log: frames whose header names the size of the database after them. */
function countCommits(log: string): number {
  const bytes = readFileSync(log);
  let commits = 0;
  for (let at = 32; at < bytes.length; at += 24 + PAGE_SIZE) commits += Number(bytes.readUInt32BE(at + 4) !== 0);
  return commits;
}

test('events come back as they were appended, in an unbroken chain of hashes', async () => {
  using home = createTemporaryHome();
  const drafts = toSampleDrafts();
  {
    using store = createSqliteStore({ home: home.path });
    const lease = (await store.claim('A'))!;
    await store.append('A', drafts.slice(0, 5), { lease });
    await store.append('A', drafts.slice(5), { lease });
  }
  using store = createSqliteStore({ home: home.path });
  const events = [...store.view.events('A')];
  expect(events).toEqual(drafts.map((draft) => expect.objectContaining(draft)));
  expect(events.map((event) => event.seq)).toEqual(drafts.map((_, index) => index + 1));
  expect(events[0]!.prev).toBe(FIRST_PREV);

  const database = new Database(toDatabaseFile(home.path));
  const records = database.all<{ record: string }>('SELECT record FROM events ORDER BY seq');
  database.close();
  for (const [index, event] of events.entries()) {
    if (index > 0) expect(event.prev).toBe(toHash(records[index - 1]!.record));
    expect(JSON.parse(records[index]!.record)).toEqual(event);
  }
  expect([...store.view.events('A', 20)].map((event) => event.seq)).toEqual([21, 22, 23, 24, 25, 26, 27, 28]);
});

test('a long log is read in order across pages, with what is appended while reading', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const lease = (await store.claim('A'))!;
  await store.append(
    'A',
    Array.from({ length: 300 }, (_, index) => toNotice(String(index))),
    { lease },
  );
  const seen: number[] = [];
  for (const event of store.view.events('A')) {
    seen.push(event.seq);
    if (event.seq === 100) await store.append('A', [toNotice('late')], { lease });
  }
  expect(seen).toEqual(Array.from({ length: 301 }, (_, index) => index + 1));
});

test('appends of one tick are one transaction over all sessions, and are shown only when durable', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const witness = new Database(toDatabaseFile(home.path), { readOnly: true });
  const count = () => witness.get<{ n: number }>('SELECT count(*) AS n FROM events')!.n;
  const [a, b] = [(await store.claim('A'))!, (await store.claim('B'))!];
  const shown: [string, number, number][] = [];
  for (const session of ['A', 'B']) store.subscribe(session, 0, (event) => shown.push([session, event.seq, count()]));
  const before = countCommits(`${toDatabaseFile(home.path)}-wal`);
  const all = [
    store.append('A', [toNotice('1'), toNotice('2')], { lease: a }),
    store.append('B', [toNotice('1')], { lease: b }),
    store.append('A', [toNotice('3')], { lease: a }),
  ];
  expect(count()).toBe(0);
  await all[0];
  expect(countCommits(`${toDatabaseFile(home.path)}-wal`) - before).toBe(1);
  expect(count()).toBe(4);
  await Promise.all(all);
  expect(shown).toEqual([
    ['A', 1, 4],
    ['A', 2, 4],
    ['B', 1, 4],
    ['A', 3, 4],
  ]);
  witness.close();
});

test('a lease with an old fence, or one that was released, appends nothing', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const lease = (await store.claim('A'))!;
  await store.append('A', [toNotice('own')], { lease });
  // Another machine's view of the same session: the fence moves on although this lease was never released.
  const other = new Database(toDatabaseFile(home.path));
  other.run('UPDATE heads SET fence = fence + 1');
  other.close();
  await expect(store.append('A', [toNotice('stale')], { lease })).rejects.toMatchObject({ code: 'store.busy' });
  await lease.release();
  await expect(store.append('A', [toNotice('late')], { lease })).rejects.toMatchObject({ code: 'store.busy' });
  const next = (await store.claim('A'))!;
  expect(next.fence).toBe(lease.fence + 2);
  await store.append('A', [toNotice('fresh')], { lease: next });
  expect([...store.view.events('A')]).toHaveLength(2);
});

/** Puts a stored log into a database of its own, as an earlier program left it. */
function putLog(home: string, lines: readonly string[]): string {
  createSqliteStore({ home })[Symbol.dispose]();
  const database = new Database(toDatabaseFile(home));
  for (const line of lines) {
    const { session, seq, type } = JSON.parse(line) as Event;
    database.run('INSERT INTO events (session_id, seq, type, record) VALUES (?, ?, ?, ?)', session, seq, type, line);
  }
  const last = JSON.parse(lines.at(-1)!) as Event;
  const hash = toHash(lines.at(-1)!);
  database.run('INSERT INTO heads (session_id, seq, hash, fence) VALUES (?, ?, ?, 1)', last.session, last.seq, hash);
  database.close();
  return last.session;
}

function readFixture(name: string): string[] {
  return readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
}

/** What a log says as text, read. */
async function readTexts(store: SqliteStore, session: string): Promise<unknown[]> {
  return (await Array.fromAsync(store.texts(session))).map(({ seq, text }, at): unknown => {
    expect(seq).toBe(at + 1);
    expect(text).not.toContain('\n');
    return JSON.parse(text);
  });
}

test("a log of today's version is read with every field", async () => {
  using home = createTemporaryHome();
  const lines = readFixture('events-v3.ndjson');
  const session = putLog(home.path, lines);
  using store = createSqliteStore({ home: home.path });
  expect(await store.verify(session)).toMatchObject({ intact: true, records: lines.length });
  const events = [...store.view.events(session)];
  // Parsing drops what the schemas do not know: equality means that no field was lost or renamed.
  expect(events.map((event) => eventSchema.parse(event))).toEqual(lines.map((line): unknown => JSON.parse(line)));
  expect(await readTexts(store, session)).toEqual(events);
  const types = new Set(events.map((event) => event.type));
  expect([...types].toSorted()).toEqual(eventBodySchema.options.map((option) => option.shape.type.value).toSorted());
  expect(await store.rebuild()).toBe(lines.length);
});

test('a log of version 1 is brought up to date, and its chain holds', async () => {
  using home = createTemporaryHome();
  const lines = readFixture('events-v1.ndjson');
  const session = putLog(home.path, lines);
  using store = createSqliteStore({ home: home.path });
  expect(await store.verify(session)).toMatchObject({ intact: true, records: lines.length });
  const stored = lines.map((line) => JSON.parse(line) as { type: string });
  const wanted = stored.map((event) => ({
    ...event,
    v: EVENT_VERSION,
    type: event.type === 'workspace.snapshotted' ? 'workspace.committed' : event.type,
  }));
  expect([...store.view.events(session)].map((event) => eventSchema.parse(event))).toEqual(wanted);
  expect(await readTexts(store, session)).toEqual(wanted);
  expect(await store.rebuild()).toBe(lines.length);
});

test('a log of version 2 is brought up to date: its checks have a freshness', async () => {
  using home = createTemporaryHome();
  const lines = readFixture('checks-v2.ndjson');
  const session = putLog(home.path, lines);
  using store = createSqliteStore({ home: home.path });
  expect(await store.verify(session)).toMatchObject({ intact: true, records: lines.length });
  const events = [...store.view.events(session)];
  expect(events.map((event) => eventSchema.parse(event))).toEqual(events);
  expect(await readTexts(store, session)).toEqual(events);
  const stored = lines.map((line) => JSON.parse(line) as Event);
  expect(events.map(({ type, prev }) => [type, prev])).toEqual(stored.map(({ type, prev }) => [type, prev]));
  const finished = events.flatMap((event) => (event.type === 'run.finished' ? event.evidence : []));
  expect(finished).toMatchObject([
    { exitCode: 1, freshness: 'stale', changed: ['src/subtract.js'] },
    { exitCode: 0, freshness: 'fresh' },
  ]);
  expect(finished.every((row) => !('standing' in row))).toBe(true);
  expect(await store.rebuild()).toBe(lines.length);
});

test('a record of a newer version, or a gap, is refused with its place', async () => {
  using home = createTemporaryHome();
  createSqliteStore({ home: home.path })[Symbol.dispose]();
  const database = new Database(toDatabaseFile(home.path));
  const insert = (session: string, seq: number, record: string) =>
    database.run(`INSERT INTO events (session_id, seq, type, record) VALUES (?, ?, 'notice', ?)`, session, seq, record);
  insert('A', 1, JSON.stringify({ v: EVENT_VERSION + 1, seq: 1, session: 'A' }));
  insert('B', 2, JSON.stringify({ v: 1, seq: 2, session: 'B' }));
  insert('C', 1, `{"v":${EVENT_VERSION},"seq":1,"session":"C"`);
  insert('D', 1, JSON.stringify({ v: EVENT_VERSION, seq: 1, session: 'D' }, undefined, 1));
  database.close();
  using store = createSqliteStore({ home: home.path });
  const refusal = (place: RegExp, hint: string) =>
    expect.objectContaining({
      code: 'store.corrupt',
      message: expect.stringMatching(place) as string,
      hint: expect.stringContaining(hint) as string,
    });
  const newer = refusal(new RegExp(`\\b1\\b.*\\bA\\b.*\\b${EVENT_VERSION + 1}\\b`), 'KLAUS_HOME');
  const missing = refusal(/\b1\b.*\bB\b/, 'klaus db recover');
  expect(() => [...store.view.events('A')]).toThrow(newer);
  expect(() => [...store.view.events('B')]).toThrow(missing);
  await expect(Array.fromAsync(store.texts('A'))).rejects.toThrow(newer);
  await expect(Array.fromAsync(store.texts('B'))).rejects.toThrow(missing);
  await expect(Array.fromAsync(store.texts('C'))).rejects.toThrow(refusal(/\b1\b.*\bC\b/, 'klaus db recover'));
  expect(await readTexts(store, 'D')).toEqual([{ v: EVENT_VERSION, seq: 1, session: 'D' }]);
});
