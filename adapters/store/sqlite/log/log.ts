import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Draft } from '@klaus/core/agent';
import { FIRST_PREV, type Event } from '@klaus/core/protocol';
import { chainDrafts, takenOver, type Head } from '../../shared/chain-drafts.ts';
import type { Database } from '../database.ts';
import { project } from '../projections/projections.ts';
import type { ProjectionOptions } from '../../shared/projection-options.ts';
import { fromRecord, toText } from './record.ts';
import { corrupt } from '../store-error.ts';

/** Rows per read, so that no read transaction is open while the caller processes events. */
const PAGE = 128;

/** The end of the session's chain; undefined for a session that was never claimed. */
export function readHead(database: Database, session: string): Head | undefined {
  return database.get<Head>('SELECT seq, hash, fence FROM heads WHERE session_id = ?', session);
}

/**
 * Increments the session's fence and returns it. Its own transaction need not survive a loss of power, because the
 * processes that the fence separates do not survive it either.
 */
export function raiseFence(database: Database, session: string): number {
  const sql =
    'INSERT INTO heads (session_id, seq, hash, fence) VALUES (?, 0, ?, 1) ' +
    'ON CONFLICT (session_id) DO UPDATE SET fence = fence + 1 RETURNING fence';
  return database.transactionInMemory(() => database.get<{ fence: number }>(sql, session, FIRST_PREV)!.fence);
}

/** Fence of the session's newest claim; 0 if it was never claimed. */
export function readFence(database: Database, session: string): number {
  const sql = 'SELECT fence FROM heads WHERE session_id = ?';
  return database.get<{ fence: number }>(sql, session)?.fence ?? 0;
}

/**
 * Appends drafts to the session's chain and updates the projections. Runs in the caller's transaction.
 *
 * @param options.known The head that the last call for this claim returned. It saves a read if it is still current.
 * @throws KlausError `store.busy` when the session was claimed again after `fence`.
 */
export function appendRecords(
  database: Database,
  options: {
    session: string;
    fence: number;
    drafts: readonly Draft[];
    projection: ProjectionOptions;
    known?: Head;
  },
): { events: Event[]; head: Head } {
  const { session, drafts, fence, known } = options;
  let chained = known && chainDrafts(known, session, drafts);
  // After an undone transaction `known` is a head that was never committed.
  if (!chained || !moveHead(database, session, { from: known!, to: chained.head })) {
    const head = readHead(database, session);
    if (head?.fence !== fence) throw takenOver(session);
    chained = chainDrafts(head, session, drafts);
    moveHead(database, session, { from: head, to: chained.head });
  }
  const { events, records, head } = chained;
  for (const [at, event] of events.entries()) {
    insertRecord(database, event, records[at]!);
    project(database, event, options.projection);
  }
  return { events, head };
}

/** Returns false without a change when the chain does not end at `from`, or the session was claimed again. */
function moveHead(database: Database, session: string, { from, to }: { from: Head; to: Head }): boolean {
  const sql = 'UPDATE heads SET seq = ?, hash = ? WHERE session_id = ? AND fence = ? AND seq = ? AND hash = ?';
  return database.run(sql, to.seq, to.hash, session, from.fence, from.seq, from.hash).changes === 1;
}

export function insertRecord(database: Database, event: Event, record: string): void {
  const sql = 'INSERT INTO events (session_id, seq, type, record) VALUES (?, ?, ?, ?)';
  database.run(sql, event.session, event.seq, event.type, record);
}

/**
 * Events after `after` in order. Pages are read on demand, so events that are appended during the iteration are included.
 *
 * @throws KlausError `store.corrupt` for a gap or an unreadable record.
 */
export function* readEvents(database: Database, session: string, after: number): Generator<Event, void, undefined> {
  for (const page of readPages(database, session, after)) yield* page.map(toEvent);
}

/** The same in pages, for the port. */
export async function* readBatches(
  database: Database,
  session: string,
  after: number,
): AsyncGenerator<readonly Event[], void, undefined> {
  for (const page of readPages(database, session, after)) yield page.map(toEvent);
}

/**
 * The same as JSON texts of `toText`, for callers that forward events without parsing them. Other work of the process
 * continues between two pages, because a caller may consume texts without a wait of its own.
 */
export async function* readTexts(
  database: Database,
  session: string,
  after: number,
): AsyncGenerator<{ seq: number; text: string }, void, undefined> {
  for (const page of readPages(database, session, after)) {
    for (const { seq, record, from } of page) yield { seq, text: toText(record, from) };
    await nextTurn();
  }
}

interface Stored {
  seq: number;
  record: string;
  /** Its position, for error messages. */
  from: { file: string; place: string };
}

function toEvent({ record, from }: Stored): Event {
  return fromRecord(record, from);
}

function* readPages(database: Database, session: string, after: number): Generator<Stored[], void, undefined> {
  let last = after;
  for (;;) {
    const rows = database.all<{ seq: number; record: string }>(
      'SELECT seq, record FROM events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?',
      session,
      last,
      PAGE,
    );
    const page: Stored[] = [];
    let missing: string | undefined;
    for (const { seq, record } of rows) {
      const place = `record ${last + 1} of session ${session}`;
      if (seq !== last + 1) {
        missing = place;
        break;
      }
      last = seq;
      page.push({ seq, record, from: { file: database.file, place } });
    }
    if (page.length > 0) yield page;
    if (missing !== undefined) throw corrupt(database.file, `${missing} is missing`);
    if (rows.length < PAGE) return;
  }
}
