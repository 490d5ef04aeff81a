import type { Draft } from '@klaus/core/agent';
import { EVENT_VERSION, FIRST_PREV, KlausError } from '@klaus/core/protocol';
import type { Event } from '@klaus/core/protocol';
import type { Database } from './database.ts';
import { project } from './projections.ts';
import type { ProjectionOptions } from './projections.ts';
import { fromRecord, toHash } from './record.ts';
import { corrupt } from './store-error.ts';

/** Rows read at a time: no read transaction stays open while the caller looks at an event. */
const PAGE = 128;

export interface Head {
  /** Of the last record; 0 when there is none. */
  seq: number;
  /** Of the last record; FIRST_PREV when there is none. */
  hash: string;
  fence: number;
}

/** Where the session's chain ends; undefined for a session that nobody ever claimed. */
export function readHead(database: Database, session: string): Head | undefined {
  return database.get<Head>('SELECT seq, hash, fence FROM heads WHERE session_id = ?', session);
}

/**
 * Raises the session's fence and returns it. Own transaction, which need not outlive a loss of power: neither do the
 * processes that a fence keeps apart.
 */
export function raiseFence(database: Database, session: string): number {
  const sql =
    'INSERT INTO heads (session_id, seq, hash, fence) VALUES (?, 0, ?, 1) ' +
    'ON CONFLICT (session_id) DO UPDATE SET fence = fence + 1 RETURNING fence';
  return database.transactionInMemory(() => database.get<{ fence: number }>(sql, session, FIRST_PREV)!.fence);
}

/**
 * Writes drafts at the end of the session's chain, with their projections. Runs in the caller's transaction.
 *
 * @throws KlausError `store.busy` when somebody claimed the session after `fence`.
 */
export function appendRecords(
  database: Database,
  options: { session: string; fence: number; drafts: readonly Draft[]; projection: ProjectionOptions },
): Event[] {
  const { session, drafts } = options;
  const head = readHead(database, session);
  if (head?.fence !== options.fence) {
    throw new KlausError('store.busy', `Session ${session} was taken over by another process.`, {
      hint: 'Follow it there, or try again when that process has ended.',
    });
  }
  let { seq, hash: prev } = head;
  const events: Event[] = [];
  for (const draft of drafts) {
    seq += 1;
    const event: Event = { v: EVENT_VERSION, seq, prev, session, ...draft };
    const record = JSON.stringify(event);
    insertRecord(database, event, record);
    project(database, event, options.projection);
    prev = toHash(record);
    events.push(event);
  }
  database.run('UPDATE heads SET seq = ?, hash = ? WHERE session_id = ?', seq, prev, session);
  return events;
}

/** Stores one record as it stands. */
export function insertRecord(database: Database, event: Event, record: string): void {
  const sql = 'INSERT INTO events (session_id, seq, type, record) VALUES (?, ?, ?, ?)';
  database.run(sql, event.session, event.seq, event.type, record);
}

/**
 * Events after `after` in order, read in pages as they are asked for, so that what is appended meanwhile
 * is seen too.
 *
 * @throws KlausError `store.corrupt` for a gap, or a record that is none.
 */
export function* readEvents(database: Database, session: string, after: number): Generator<Event, void, undefined> {
  let last = after;
  for (;;) {
    const rows = database.all<{ seq: number; record: string }>(
      'SELECT seq, record FROM events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?',
      session,
      last,
      PAGE,
    );
    for (const row of rows) {
      last += 1;
      const place = `record ${last} of session ${session}`;
      if (row.seq !== last) throw corrupt(database.file, `${place} is missing`);
      yield fromRecord(row.record, { file: database.file, place });
    }
    if (rows.length < PAGE) return;
  }
}
