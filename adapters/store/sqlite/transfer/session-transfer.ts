import type { Clock } from '@klaus/core/agent';
import { takenOver } from '../../shared/chain-drafts.ts';
import type { ProjectionOptions } from '../../shared/projection-options.ts';
import type { Arrival, SessionTransfer, StoredRecord } from '../../transfer/session-transfer.ts';
import type { Database } from '../database.ts';
import type { createLeases } from '../locks/leases.ts';
import { verifyHostChain } from '../log/chain.ts';
import type { ChangeNotifier } from '../log/change-notifier.ts';
import { appendHostRecord } from '../log/host-chain.ts';
import { readHead } from '../log/log.ts';
import { fromEventRow, toHash } from '../log/record.ts';
import { project } from '../projections/projections.ts';
import { corrupt } from '../store-error.ts';
import { readNotes, storeNotes } from './notes.ts';
import { toMovedError } from '../../transfer/session-move.ts';
import { deleteMove, putMove, readMove } from './moves.ts';
import { readRest, storeRest } from './session-rest.ts';

export interface TransferParts {
  database: Database;
  leases: ReturnType<typeof createLeases>;
  notifier: Pick<ChangeNotifier, 'touched'>;
  clock: Pick<Clock, 'now'>;
  projection: ProjectionOptions;
}

/** Records of one read. */
const PAGE = 256;

/** Copies and moves sessions of a state folder. */
export function createTransfer({ database, leases, notifier, clock, projection }: TransferParts): SessionTransfer {
  return {
    list: async () =>
      database.all(`SELECT id, CASE WHEN forked_from IS NULL THEN parent_id END AS parent, workspace_dir AS workspace
        FROM sessions WHERE id IN (SELECT session_id FROM heads WHERE seq > 0) ORDER BY id`),
    read: async (session) => database.snapshot(() => readRest(database, session)),
    records: (session, range) => readRecords(database, session, range),
    async hashOf(session, seq) {
      const sql = 'SELECT record FROM events WHERE session_id = ? AND seq = ?';
      const row = database.get<{ record: string }>(sql, session, seq);
      return row && toHash(row.record);
    },
    moveOf: async (session) => readMove(database, session),
    hostChain: async () => database.snapshot(() => verifyHostChain(database)),
    async leave(sessions, place) {
      await using claimed = new AsyncDisposableStack();
      const busy: string[] = [];
      for (const session of sessions) {
        const lease = leases.claim(session, { ofMoved: true });
        if (lease) claimed.defer(() => lease.release());
        else busy.push(session);
      }
      if (busy.length > 0) return busy;
      for (const session of sessions) {
        const move = readMove(database, session);
        // Another copy began after this one was judged.
        if (move && ['leaving', 'moved'].includes(move.state) && move.place !== place)
          throw toMovedError(session, move);
      }
      // The next process that has the lock of a session finds this.
      database.transaction(() => {
        for (const session of sessions) putMove(database, session, { state: 'leaving', place, at: clock.now() });
      });
      return [];
    },
    async stay(sessions) {
      database.transaction(() => {
        for (const session of sessions) deleteMove(database, session, 'leaving');
      });
    },
    async left(sessions, { place, by }) {
      const at = clock.now();
      database.transaction(() => {
        for (const session of sessions) {
          if (readMove(database, session)?.state !== 'leaving') continue;
          const { seq: records, hash: head } = readHead(database, session)!;
          putMove(database, session, { state: 'moved', place, at });
          const consume =
            'UPDATE inbox SET consumed_seq = ?, command = NULL WHERE session_id = ? AND consumed_seq IS NULL';
          database.run(consume, records, session);
          appendHostRecord(database, { body: { type: 'session.moved', session, records, head, place, by }, at });
        }
      });
      notifier.touched();
    },
    async store(arrival) {
      const lease = leases.claim(arrival.session, { ofMoved: true });
      if (!lease) throw takenOver(arrival.session);
      try {
        // A transaction of SQLite cannot wait for another store.
        const records = (await Array.fromAsync(arrival.records)).flat();
        database.transaction(() => storeArrival(database, { arrival, records, at: clock.now(), projection }));
      } finally {
        await lease.release();
      }
      notifier.touched();
    },
    async arrived(sessions) {
      database.transaction(() => {
        for (const session of sessions) deleteMove(database, session, 'arriving');
      });
      notifier.touched();
    },
    notes: async (workspaces) => readNotes(database, workspaces),
    storeNotes: async (notes) => database.transaction(() => storeNotes(database, notes)),
  };
}

async function* readRecords(
  database: Database,
  session: string,
  { after, until }: { after: number; until: number },
): AsyncGenerator<readonly StoredRecord[], void, undefined> {
  for (let last = after; last < until;) {
    const rows = database.all<StoredRecord>(
      'SELECT seq, type, record FROM events WHERE session_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
      session,
      last,
      until,
      PAGE,
    );
    const gap = rows.findIndex(({ seq }, at) => seq !== last + 1 + at);
    if (rows.length === 0 || gap >= 0)
      throw corrupt(database.file, `record ${last + 1 + Math.max(gap, 0)} of session ${session} is missing`);
    yield rows;
    last = rows.at(-1)!.seq;
  }
}

interface StoredArrival {
  arrival: Omit<Arrival, 'records'>;
  records: readonly StoredRecord[];
  /** Unix milliseconds. */
  at: number;
  projection: ProjectionOptions;
}

/** Runs in the caller's transaction, which has the lease of the session. */
function storeArrival(database: Database, { arrival, records, at, projection }: StoredArrival): void {
  const { session, rest, base, move, host, by } = arrival;
  const { head } = rest;
  const sql = 'UPDATE heads SET seq = ?, hash = ? WHERE session_id = ? AND seq = ? AND hash = ?';
  if (database.run(sql, head.seq, head.hash, session, base.seq, base.hash).changes !== 1) throw takenOver(session);
  for (const { seq, type, record } of records) {
    const insert = 'INSERT INTO events (session_id, seq, type, record) VALUES (?, ?, ?, ?)';
    database.run(insert, session, seq, type, record);
    project(database, fromEventRow(database, { session, seq, record }), projection);
  }
  storeRest(database, session, { rest, ranHere: readMove(database, session) === undefined });
  putMove(database, session, { ...move, at });
  if (records.length === 0) return;
  const body = {
    ...{ type: 'session.imported' as const, session, records: head.seq, head: head.hash, place: move.place },
    ...{ hostRecords: host.seq, hostHead: host.hash, isCopy: move.state === 'copy', by },
  };
  appendHostRecord(database, { body, at });
}
