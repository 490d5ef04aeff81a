import { existsSync, readFileSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { expect, test } from 'vitest';
import { overwrite } from '../../fixtures/damage.ts';
import { toNotice, toSampleDrafts } from '../../fixtures/sample-events.ts';
import { startStoreProcess } from '../../fixtures/store-process.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { Database } from '../database.ts';
import { PAGE_SIZE, toDatabaseFile } from '../open-database.ts';
import { openInstanceTable } from '../instance-table.ts';
import { recoverDatabase } from './recover.ts';
import { createSqliteStore } from '../sqlite-store.ts';

const AT = new Date(0);

/** Records that `fill` makes in each session. */
const IN_B = 120;
const IN_A = toSampleDrafts().length + IN_B;

/** Two sessions whose records take turns on the pages, some of them several pages long. */
async function fill(home: string): Promise<void> {
  using store = createSqliteStore({ home });
  const leases = { A: (await store.claim('A'))!, B: (await store.claim('B'))! };
  await store.append('A', toSampleDrafts(), { lease: leases.A });
  for (let count = 0; count < 60; count++) {
    for (const session of ['A', 'B'] as const) {
      const drafts = [toNotice('short'), toNotice('ä🧮'.repeat(count * 50))];
      await store.append(session, drafts, { lease: leases[session] });
    }
  }
  await store.send('A', { type: 'cancel', id: 'waiting' });
  await store.send('A', { type: 'cancel', id: 'consumed' });
  await store.append('A', [], { lease: leases.A, consume: ['consumed'] });
}

test('a destroyed header costs nothing but the inbox; the damaged file is kept', async () => {
  using home = createTemporaryHome();
  await fill(home.path);
  const file = toDatabaseFile(home.path);
  overwrite(file, 0, PAGE_SIZE);
  const bytes = readFileSync(file);
  const report = recoverDatabase(home.path, { at: AT });
  const damaged = `${file}.damaged-1970-01-01T00-00-00-000Z`;
  expect(report).toEqual({
    file,
    damaged: [damaged],
    sessions: [
      { id: 'A', saved: IN_A },
      { id: 'B', saved: IN_B },
    ],
    events: IN_A + IN_B,
    commands: null,
    lostCommands: null,
    knowledge: null,
    deliveries: null,
  });
  expect(readFileSync(damaged).equals(bytes)).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);

  using store = createSqliteStore({ home: home.path });
  expect(await store.verify('A')).toEqual({ intact: true, records: IN_A });
  expect(await store.verify('B')).toEqual({ intact: true, records: IN_B });
  expect(await store.session('A')).toMatchObject({ title: 'Repair the sum', lastSeq: IN_A });
  const lease = (await store.claim('A'))!;
  expect(lease.fence).toBe(2);
  const [next] = await store.append('A', [toNotice('on it goes')], { lease });
  expect(next!.seq).toBe(IN_A + 1);
  expect(await store.verify('A')).toEqual({ intact: true, records: IN_A + 1 });
});

test('lost pages cost each session what comes after its first lost record', async () => {
  using home = createTemporaryHome();
  await fill(home.path);
  const file = toDatabaseFile(home.path);
  const pages = statSync(file).size / PAGE_SIZE;
  overwrite(file, Math.floor(pages / 2) * PAGE_SIZE, 3 * PAGE_SIZE);
  const complete = new Map([
    ['A', IN_A],
    ['B', IN_B],
  ]);
  const report = recoverDatabase(home.path, { at: AT });
  expect(report.sessions.map(({ id }) => id)).toEqual(['A', 'B']);
  using store = createSqliteStore({ home: home.path });
  for (const { id, saved, lostFrom } of report.sessions) {
    expect(saved).toBeGreaterThan(10);
    expect(lostFrom).toBe(saved < complete.get(id)! ? saved + 1 : undefined);
    expect(await store.verify(id)).toEqual({ intact: true, records: saved });
    expect([...store.view.events(id)]).toHaveLength(saved);
  }
  expect(report.sessions.some(({ lostFrom }) => lostFrom !== undefined)).toBe(true);
});

test('a cut file gives what is left', async () => {
  using home = createTemporaryHome();
  await fill(home.path);
  const file = toDatabaseFile(home.path);
  truncateSync(file, Math.floor(statSync(file).size / 2));
  expect(() => createSqliteStore({ home: home.path })).toThrow(expect.objectContaining({ code: 'store.corrupt' }));
  const report = recoverDatabase(home.path, { at: AT });
  expect(report.events).toBeGreaterThan(50);
  expect(report.events).toBeLessThan(264);
  using store = createSqliteStore({ home: home.path });
  for (const { id, saved } of report.sessions) expect(await store.verify(id)).toEqual({ intact: true, records: saved });
});

test('what a killed process left in the write-ahead log is saved too, with the file in front of it lost', async () => {
  using home = createTemporaryHome();
  const file = toDatabaseFile(home.path);
  const killed = startStoreProcess(home.path);
  await killed.ask('claim A');
  await killed.ask('append A 200 7');
  await killed.kill();
  truncateSync(file, 0);
  const report = recoverDatabase(home.path, { at: AT });
  expect(report.sessions).toEqual([{ id: 'A', saved: 203 }]);
  expect(report.damaged).toHaveLength(2);
  for (const path of report.damaged) expect(existsSync(path)).toBe(true);
  using store = createSqliteStore({ home: home.path });
  expect(await store.verify('A')).toEqual({ intact: true, records: 203 });
});

test('an intact database is recovered completely, with its inbox', async () => {
  using home = createTemporaryHome();
  await fill(home.path);
  const report = recoverDatabase(home.path, { at: AT });
  expect(report).toMatchObject({ events: IN_A + IN_B, commands: 1 });
  using store = createSqliteStore({ home: home.path });
  expect((await store.inbox('A')).map(({ id }) => id)).toEqual(['waiting']);
  await store.send('A', { type: 'cancel', id: 'consumed' });
  expect((await store.inbox('A')).map(({ id }) => id)).toEqual(['waiting']);
  expect(readdirSync(home.path).filter((name) => name.includes('recovered'))).toEqual([]);
});

test('undelivered notifications are saved, except those of lost events', async () => {
  using home = createTemporaryHome();
  {
    using store = createSqliteStore({ home: home.path });
    store.outbox.collect((event) => (event.type === 'notice' ? event.text : undefined));
    for (const session of ['A', 'B']) {
      const lease = (await store.claim(session))!;
      await store.append(session, [toNotice('delivered'), toNotice('waits'), toNotice('waits too')], { lease });
    }
    const outbox = (await store.outbox.deliver())!;
    for (const { id } of await outbox.due(0)) await outbox.remove(id);
    await outbox.postpone((await outbox.due(0))[0]!.id, 5_000);
    await outbox.release();
  }
  {
    // A record that is not as it was written is where the log of its session ends.
    const database = new Database(toDatabaseFile(home.path));
    database.run("UPDATE events SET record = '{}' WHERE session_id = 'B' AND seq = 3");
    database.close();
  }
  expect(recoverDatabase(home.path)).toMatchObject({ deliveries: 3 });
  using store = createSqliteStore({ home: home.path });
  const outbox = (await store.outbox.deliver())!;
  expect((await outbox.due(0)).map(({ session, seq, body }) => ({ session, seq, body }))).toEqual([
    { session: 'B', seq: 2, body: 'waits' },
  ]);
  expect(await outbox.due(5_000)).toMatchObject([
    { session: 'A', seq: 2, attempts: 1 },
    { session: 'B', seq: 2, attempts: 0 },
  ]);
  await outbox.release();
});

test('cleared sessions are not restored', async () => {
  using home = createTemporaryHome();
  await fill(home.path);
  {
    using store = createSqliteStore({ home: home.path });
    expect((await store.clearSessions({ ids: ['A'] })).cleared).toEqual(['A']);
  }
  overwrite(toDatabaseFile(home.path), 0, 100);
  expect(recoverDatabase(home.path, { at: AT }).sessions).toEqual([{ id: 'B', saved: IN_B }]);
});

test('recovery is refused while any process has the database open', async () => {
  using home = createTemporaryHome();
  await using other = startStoreProcess(home.path);
  await other.ask('claim A');
  expect(() => recoverDatabase(home.path)).toThrow(expect.objectContaining({ code: 'store.busy' }));
  await other.kill();
  expect(recoverDatabase(home.path).events).toBe(0);
  using empty = createTemporaryHome();
  expect(() => recoverDatabase(empty.path)).toThrow(expect.objectContaining({ code: 'usage' }));
});

test('the list of instances is kept', async () => {
  using home = createTemporaryHome();
  await fill(home.path);
  const row = {
    ...{ id: '01J0000000000000000000000A', project: 'p', root: '/project', pid: 1, process: 'boot:1' },
    ...{ tty: null, socket: '/socket', startedAt: AT.toISOString(), session: 'A' },
  };
  {
    using instances = openInstanceTable(home.path);
    instances.add(row);
    instances.add({ ...row, id: '01J0000000000000000000000B' });
    instances.end('01J0000000000000000000000B', AT.toISOString(), 3);
  }
  recoverDatabase(home.path, { at: AT });
  using instances = openInstanceTable(home.path);
  expect(instances.list({ ended: true })).toMatchObject([
    { ...row, endedAt: null },
    { session: 'A', endedAt: AT.toISOString(), exitCode: 3 },
  ]);
});

test.for([
  ['healthy', () => {}],
  ['damaged', (file: string) => overwrite(file, 0, 100)],
] as const)('a $0 database of a newer schema is refused and stays', async ([, damage]) => {
  using home = createTemporaryHome();
  await fill(home.path);
  const file = toDatabaseFile(home.path);
  {
    const database = new Database(file);
    database.exec("INSERT INTO migrations VALUES ('m999-future', '2099-01-01T00:00:00.000Z'); CREATE TABLE future (x)");
    database.all('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
  }
  damage(file);
  const bytes = readFileSync(file);
  expect(() => recoverDatabase(home.path, { at: AT })).toThrow(
    expect.objectContaining({ code: 'store.corrupt', message: expect.stringContaining('m999-future') }),
  );
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect(readdirSync(home.path).filter((name) => /recovered|damaged/.test(name))).toEqual([]);
});
