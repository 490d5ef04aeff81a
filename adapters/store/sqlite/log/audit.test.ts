import { truncateSync } from 'node:fs';
import { hash } from 'node:crypto';
import { FIRST_PREV } from '@klaus/core/protocol';
import { describe, expect, test } from 'vitest';
import { overwrite } from '../../fixtures/damage.ts';
import { toNotice, toSampleDrafts } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import type { AuditReport } from '@klaus/core/agent';
import { Database } from '../database.ts';
import { MIGRATIONS, migrate } from '../migrations/migrate.ts';
import { toDatabaseFile } from '../open-database.ts';
import { recoverDatabase } from '../recovery/recover.ts';
import { createSqliteStore, type SqliteStore } from '../sqlite-store.ts';

const toHash = (text: string) => hash('sha256', text, 'hex');

/** Two sessions, each with every type of event and a few words after its last anchor. */
async function fill(store: SqliteStore): Promise<void> {
  for (const session of ['A', 'B']) {
    const lease = (await store.claim(session))!;
    for (const draft of toSampleDrafts()) await store.append(session, [draft], { lease });
    await store.append(session, [toNotice(`${session} late`), toNotice(`${session} later`)], { lease });
    await lease.release();
  }
}

/** Rewrites all records of a session from `seq` on, so that its own chain is intact again. */
function rewrite(database: Database, session: string, seq: number): void {
  const rows = database.all<{ seq: number; record: string }>(
    'SELECT seq, record FROM events WHERE session_id = ? ORDER BY seq',
    session,
  );
  let prev = FIRST_PREV;
  let last = 0;
  for (const row of rows) {
    let { record } = row;
    if (row.seq >= seq) {
      record = JSON.stringify({ ...(JSON.parse(record) as object), seq: last + 1, prev, session });
      database.run(
        'UPDATE events SET record = ?, seq = ? WHERE session_id = ? AND seq = ?',
        record,
        last + 1,
        session,
        row.seq,
      );
    }
    prev = toHash(record);
    last += 1;
  }
  database.run('UPDATE heads SET seq = ?, hash = ? WHERE session_id = ?', last, prev, session);
}

/** The same for the host chain. */
function rewriteHost(database: Database): void {
  const rows = database.all<{ id: number; record: string }>('SELECT id, record FROM host_events ORDER BY seq');
  let prev = FIRST_PREV;
  let last = 0;
  for (const row of rows) {
    const record = JSON.stringify({ ...(JSON.parse(row.record) as object), seq: last + 1, prev });
    database.run('UPDATE host_events SET record = ?, seq = ? WHERE id = ?', record, last + 1, row.id);
    prev = toHash(record);
    last += 1;
  }
  database.run('UPDATE host_head SET seq = ?, hash = ?', last, prev);
}

async function auditAfter(
  tamper: (database: Database) => void,
  options?: { head?: true },
): Promise<AuditReport & { of(session: string): AuditReport['sessions'][number]['report'] | undefined }> {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await fill(store);
  const before = await store.audit();
  expect(before).toMatchObject({ intact: true, host: { intact: true } });
  const database = new Database(toDatabaseFile(home.path));
  tamper(database);
  database.close();
  const report = await store.audit(options?.head ? { head: before.head } : {});
  return { ...report, of: (session) => report.sessions.find((row) => row.session === session)?.report };
}

const last = toSampleDrafts().length + 2;
/** Seq of the sample's last event, which closes the session: the host chain knows of it. */
const anchored = last - 2;

describe('what one chain alone does not show, the host chain does', () => {
  test('the end cut off, and the head moved back', async () => {
    const report = await auditAfter((database) => {
      database.run(`DELETE FROM events WHERE session_id = 'A' AND seq > ?`, anchored - 3);
      rewrite(database, 'A', anchored - 3);
    });
    expect(report.intact).toBe(false);
    expect(report.of('A')).toMatchObject({ intact: false, problem: 'dropped', seq: anchored - 2 });
    expect(report.of('B')).toEqual({ intact: true, records: last });
    expect(report.host.intact).toBe(true);
  });

  test('a record altered and all later records rewritten', async () => {
    const report = await auditAfter((database) => {
      database.run(
        `UPDATE events SET record = replace(record, '"allow"', '"deny"') WHERE session_id = 'A' AND type = 'gate.decided'`,
      );
      rewrite(database, 'A', 2);
    });
    expect(report.of('A')).toMatchObject({ intact: false, problem: 'altered' });
  });

  test('a record dropped from the middle and the rest moved up', async () => {
    const report = await auditAfter((database) => {
      database.run(`DELETE FROM events WHERE session_id = 'B' AND type = 'gate.decided'`);
      rewrite(database, 'B', 2);
    });
    expect(report.of('B')).toMatchObject({ intact: false, problem: 'altered' });
    expect(report.of('A')).toMatchObject({ intact: true });
  });

  test('a complete session deleted', async () => {
    const report = await auditAfter((database) => {
      for (const table of ['events', 'heads', 'approvals', 'token_usage', 'tool_calls', 'messages']) {
        database.run(`DELETE FROM ${table} WHERE session_id = 'A'`);
      }
      database.run(`DELETE FROM sessions WHERE id = 'A'`);
    });
    expect(report.of('A')).toMatchObject({ intact: false, problem: 'dropped', seq: 1, records: 0 });
  });

  test('two sessions that changed places', async () => {
    const report = await auditAfter((database) => {
      for (const table of ['events', 'heads']) {
        database.run(`UPDATE ${table} SET session_id = 'C' WHERE session_id = 'A'`);
        database.run(`UPDATE ${table} SET session_id = 'A' WHERE session_id = 'B'`);
        database.run(`UPDATE ${table} SET session_id = 'B' WHERE session_id = 'C'`);
      }
    });
    expect(report.of('A')).toMatchObject({ intact: false, problem: 'reordered', seq: 1 });
    expect(report.of('B')).toMatchObject({ intact: false, problem: 'reordered', seq: 1 });
  });

  test('one record that changed places with that of another session', async () => {
    const report = await auditAfter((database) => {
      database.run(`UPDATE events SET session_id = 'C' WHERE session_id = 'A' AND seq = 5`);
      database.run(`UPDATE events SET session_id = 'A' WHERE session_id = 'B' AND seq = 5`);
      database.run(`UPDATE events SET session_id = 'B' WHERE session_id = 'C'`);
    });
    expect(report.of('A')).toMatchObject({ intact: false, problem: 'reordered', seq: 5 });
    expect(report.of('B')).toMatchObject({ intact: false, problem: 'reordered', seq: 5 });
  });

  test('a record inserted in the middle', async () => {
    const report = await auditAfter((database) => {
      database.run(`UPDATE events SET seq = seq + 1000 WHERE session_id = 'A' AND seq > 4`);
      database.run(`UPDATE events SET seq = seq - 999 WHERE session_id = 'A' AND seq > 1000`);
      database.run(
        `INSERT INTO events (session_id, seq, type, record) SELECT 'A', 5, type, record FROM events WHERE session_id = 'A' AND seq = 4`,
      );
    });
    expect(report.of('A')).toMatchObject({ intact: false, problem: 'reordered', seq: 5 });
  });

  test('a type beside the record that hides it from a search', async () => {
    const report = await auditAfter(
      (database) =>
        void database.run(`UPDATE events SET type = 'notice' WHERE session_id = 'A' AND type = 'gate.decided'`),
    );
    expect(report.of('A')).toMatchObject({ intact: false, problem: 'altered' });
  });

  test('another head', async () => {
    const report = await auditAfter(
      (database) => void database.run(`UPDATE heads SET hash = ? WHERE session_id = 'A'`, toHash('other')),
    );
    expect(report.of('A')).toMatchObject({ intact: false, problem: 'altered', seq: last });
  });
});

describe('the host chain itself', () => {
  const hostEdit = (sql: string) => (database: Database) => void database.run(sql);
  test.for([
    [
      'an altered record',
      hostEdit(`UPDATE host_events SET record = replace(record, '"approved"', '"rejected"')`),
      'altered',
      undefined,
    ],
    ['a dropped first record', hostEdit('DELETE FROM host_events WHERE seq = 1'), 'dropped', 1],
    ['a dropped record in the middle', hostEdit('DELETE FROM host_events WHERE seq = 3'), 'dropped', 3],
    ['a cut end', hostEdit('DELETE FROM host_events WHERE seq > 4'), 'dropped', 5],
    ['an emptied table', hostEdit('DELETE FROM host_events'), 'dropped', 1],
    ['a head moved back', hostEdit('UPDATE host_head SET seq = seq - 1'), 'altered', undefined],
    ['another subject beside the record', hostEdit(`UPDATE host_events SET subject = 'B' WHERE seq = 2`), 'altered', 2],
    ['another time beside the record', hostEdit('UPDATE host_events SET at = at + 1 WHERE seq = 2'), 'altered', 2],
    [
      'two records that changed places',
      (database) => {
        database.run('UPDATE host_events SET seq = 99 WHERE seq = 2');
        database.run('UPDATE host_events SET seq = 2 WHERE seq = 4');
        database.run('UPDATE host_events SET seq = 4 WHERE seq = 99');
      },
      'reordered',
      2,
    ],
  ] satisfies [string, (database: Database) => void, string, number | undefined][])(
    '%s is found',
    async ([, tamper, problem, seq]) => {
      const { intact, host } = await auditAfter(tamper);
      expect(intact).toBe(false);
      expect(host).toMatchObject({ intact: false, problem, ...(seq !== undefined && { seq }) });
    },
  );

  test('a truncated end with a matching head is detected, because sessions are longer', async () => {
    const report = await auditAfter((database) => {
      database.run('DELETE FROM host_events WHERE seq > 4');
      rewriteHost(database);
    });
    expect(report.host).toMatchObject({ intact: false, problem: 'dropped', seq: 5 });
  });

  test('a deleted host chain is detected', async () => {
    const report = await auditAfter((database) => {
      database.run('DELETE FROM host_events');
      database.run('DELETE FROM host_head');
    });
    expect(report.host).toMatchObject({ intact: false, problem: 'dropped', seq: 1 });
  });

  test('a database restored to an earlier state is detected by a noted head', async () => {
    const tamper = (database: Database) => {
      for (const table of ['events', 'heads', 'approvals', 'token_usage', 'tool_calls', 'messages']) {
        database.run(`DELETE FROM ${table} WHERE session_id = 'B'`);
      }
      database.run(`DELETE FROM sessions WHERE id = 'B'`);
      database.run(`DELETE FROM host_events WHERE subject = 'B'`);
      rewriteHost(database);
    };
    // One machine cannot prove more than it keeps: this is what the noted head is for.
    expect((await auditAfter(tamper)).intact).toBe(true);
    const noted = await auditAfter(tamper, { head: true });
    expect(noted.host).toMatchObject({ intact: false, problem: 'dropped' });
  });

  test('a rewritten chain has another hash than the noted one', async () => {
    const report = await auditAfter(
      (database) => {
        database.run(`UPDATE host_events SET record = replace(record, '"by":"terminal"', '"by":"other"')`);
        rewriteHost(database);
      },
      { head: true },
    );
    expect(report.host).toMatchObject({ intact: false, problem: 'altered' });
  });
});

test('a deletion is one fact in the host chain, with what the session ended with', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await fill(store);
  const records = [...store.view.events('A')];
  await store.clearSessions({ ids: ['A'], by: 'cli' });
  const [deleted, ...more] = await Array.fromAsync(store.hostEvents({ type: 'session.deleted' }));
  expect(more).toEqual([]);
  expect(deleted).toMatchObject({ session: 'A', records: records.length, by: 'cli' });
  expect((deleted as { head: string }).head).toBe(toHash(JSON.stringify(records.at(-1))));
  expect(await store.audit()).toMatchObject({ intact: true, sessions: [{ session: 'B' }] });
});

test('the host chain contains answers and changes of authority', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await fill(store);
  const events = await Array.fromAsync(store.hostEvents({ subject: 'A' }));
  expect(events.find((event) => event.type === 'approval.answered')).toMatchObject({
    answer: 'approved',
    by: 'terminal',
  });
  expect(events.find((event) => event.type === 'grant.changed')).toMatchObject({ reason: 'Narrowed.' });
  expect(events.at(-1)).toMatchObject({ type: 'session.anchored', after: 'session.closed', records: anchored });
});

test('secrets are taken out before anything is kept', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path, redact: (text) => text.replaceAll('hunter2', '[gone]') });
  await store.appendHost({
    type: 'configuration.changed',
    workspace: '/project',
    hash: 'h',
    changes: [{ key: 'baseUrls.openai', before: null, after: 'https://x/hunter2' }],
    policies: [],
  });
  expect(JSON.stringify(await Array.fromAsync(store.hostEvents()))).not.toContain('hunter2');
  expect((await store.lastHostEvent('configuration.changed', '/project'))?.changes[0]?.after).toBe('https://x/[gone]');
  expect((await store.audit()).intact).toBe(true);
});

test('sessions from before the host chain are anchored when it is made', async () => {
  using home = createTemporaryHome();
  {
    using store = createSqliteStore({ home: home.path });
    await fill(store);
  }
  const database = new Database(toDatabaseFile(home.path));
  database.exec(`DROP TABLE host_events; DROP TABLE host_head; DELETE FROM migrations WHERE name = 'm003-host-chain'`);
  migrate(database, MIGRATIONS);
  database.run(`DELETE FROM events WHERE session_id = 'A' AND seq = ?`, last);
  rewrite(database, 'A', last);
  database.close();
  using store = createSqliteStore({ home: home.path });
  expect(await store.verify('A')).toMatchObject({ intact: false, problem: 'dropped', seq: last });
  expect(await store.verify('B')).toEqual({ intact: true, records: last });
});

test('recovery saves the host chain, adds itself, and what it could not save is not missed twice', async () => {
  using home = createTemporaryHome();
  const file = toDatabaseFile(home.path);
  {
    using store = createSqliteStore({ home: home.path });
    await fill(store);
  }
  // The end of A is lost as if its pages were; the header makes SQLite refuse the rest.
  const database = new Database(file);
  const before = database.get<{ seq: number }>('SELECT seq FROM host_head')!.seq;
  database.run(`DELETE FROM events WHERE session_id = 'A' AND seq > 10`);
  database.all('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  overwrite(file, 0, 100);
  const { sessions } = recoverDatabase(home.path, { at: new Date(0) });
  expect(sessions).toEqual([
    { id: 'A', saved: 10, lostFrom: 11 },
    { id: 'B', saved: last },
  ]);
  using store = createSqliteStore({ home: home.path });
  expect((await Array.fromAsync(store.hostEvents())).at(-1)).toMatchObject({
    seq: before + 1,
    type: 'database.recovered',
    damaged: ['klaus.db'],
    host: { saved: before },
    sessions: [
      { session: 'A', saved: 10, lostFrom: 11, last, anchor: { records: anchored } },
      { session: 'B', saved: last },
    ],
  });
  const report = await store.audit();
  expect(report).toMatchObject({ host: { intact: true }, recoveries: [{ seq: before + 1 }] });
  expect(report.sessions.map((row) => row.report.intact)).toEqual([true, true]);
});

test('what a recovery left out is reported until a later head of the host chain is noted', async () => {
  using home = createTemporaryHome();
  {
    using store = createSqliteStore({ home: home.path });
    await fill(store);
  }
  const database = new Database(toDatabaseFile(home.path));
  database.run(
    `UPDATE events SET record = replace(record, '"allow"', '"deny"') WHERE session_id = 'A' AND type = 'gate.decided'`,
  );
  const { seq } = database.get<{ seq: number }>(
    `SELECT min(seq) AS seq FROM events WHERE session_id = 'A' AND record LIKE '%"verdict":"deny"%'`,
  )!;
  database.close();
  // The altered record itself is left out too.
  expect(recoverDatabase(home.path).sessions).toEqual([
    { id: 'A', saved: seq - 1, lostFrom: seq },
    { id: 'B', saved: last },
  ]);
  using store = createSqliteStore({ home: home.path });
  const report = await store.audit();
  expect(report).toMatchObject({ intact: false, host: { intact: true }, recoveries: [{ sessions: [{ last }, {}] }] });
  expect(await store.audit({ session: 'A' })).toMatchObject({ intact: false });
  expect(await store.audit({ session: 'B' })).toMatchObject({ intact: true, recoveries: [] });
  expect(await store.audit({ head: report.head })).toMatchObject({ intact: true, recoveries: [] });
});

test('recovery keeps no record that differs from the host chain, even if all later ones were rewritten', async () => {
  using home = createTemporaryHome();
  {
    using store = createSqliteStore({ home: home.path });
    await fill(store);
  }
  const database = new Database(toDatabaseFile(home.path));
  database.run(
    `UPDATE events SET record = replace(record, '"allow"', '"deny"') WHERE session_id = 'A' AND type = 'gate.decided'`,
  );
  rewrite(database, 'A', 2);
  database.close();
  const [{ saved, lostFrom } = { saved: 0 }] = recoverDatabase(home.path).sessions;
  expect(saved).toBeLessThan(last);
  expect(lostFrom).toBe(saved + 1);
  using store = createSqliteStore({ home: home.path });
  const events = await Array.fromAsync(store.view.events('A'));
  expect(events.filter((event) => event.type === 'gate.decided' && event.verdict === 'deny')).toEqual([]);
  expect(await store.audit()).toMatchObject({ intact: false, recoveries: [{}] });
});

test('the lost end of the host chain is reported after a recovery', async () => {
  using home = createTemporaryHome();
  const file = toDatabaseFile(home.path);
  {
    using store = createSqliteStore({ home: home.path });
    await fill(store);
  }
  const database = new Database(file);
  const before = database.get<{ seq: number }>('SELECT seq FROM host_head')!.seq;
  database.run('DELETE FROM host_events WHERE seq > 1');
  database.close();
  recoverDatabase(home.path);
  using store = createSqliteStore({ home: home.path });
  expect(await store.audit()).toMatchObject({
    intact: false,
    recoveries: [{ seq: 2, host: { saved: 1, lostFrom: 2, last: before } }],
  });
});

test('after a recovery that could save nothing, an audit does not succeed', async () => {
  using home = createTemporaryHome();
  const file = toDatabaseFile(home.path);
  {
    using store = createSqliteStore({ home: home.path });
    await fill(store);
  }
  truncateSync(file, 100);
  expect(recoverDatabase(home.path).events).toBe(0);
  using store = createSqliteStore({ home: home.path });
  const { intact, recoveries } = await store.audit();
  expect([intact, recoveries[0]?.unread]).toEqual([
    false,
    ['inbox', 'knowledge', 'outbox', 'instances', 'session_moves'],
  ]);
});

test('decisions are listed over sessions with what they were about', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await fill(store);
  const rows = await Array.fromAsync(store.decisions());
  expect(rows.map(({ event }) => [event.session, event.name, event.verdict])).toEqual([
    ['A', 'read_file', 'allow'],
    ['B', 'read_file', 'allow'],
  ]);
  expect(rows[0]?.input).toEqual(expect.objectContaining({ path: 'src/sum.js' }));
  expect(await Array.fromAsync(store.decisions({ session: 'B' }))).toHaveLength(1);
  expect(await Array.fromAsync(store.decisions({ denied: true }))).toEqual([]);
  expect(await Array.fromAsync(store.decisions({ since: Number.MAX_SAFE_INTEGER }))).toEqual([]);
});
