import type { Event } from '@klaus/core/protocol';
import type { Head } from '../../shared/chain-drafts.ts';
import { fromRecord, toText } from '../../sqlite/log/record.ts';
import { corrupt } from '../store-damage.ts';
import type { Sql } from '../database.ts';

/** Rows per read. */
const PAGE = 128;

/** The end of the session's chain; undefined for a session that was never claimed. */
export function readHead(sql: Sql, session: string): Promise<Head | undefined> {
  return sql.get<Head>('SELECT seq, hash, fence FROM heads WHERE session_id = $1', [session]);
}

/**
 * Events after `after` in order, in batches. Pages are read on demand, so events that are appended during the iteration
 * are included.
 *
 * @throws KlausError `store.corrupt` for a gap or an unreadable record, after the events before it.
 */
export async function* readBatches(
  sql: Sql,
  session: string,
  after: number,
): AsyncGenerator<readonly Event[], void, undefined> {
  for await (const page of readPages(sql, session, after)) {
    const events: Event[] = [];
    let failure: { error: unknown } | undefined;
    for (const { record, from } of page) {
      try {
        events.push(fromRecord(record, from));
      } catch (error) {
        failure = { error };
        break;
      }
    }
    if (events.length > 0) yield events;
    if (failure) throw failure.error;
  }
}

/** The same as JSON texts, each on one line. A record of the current version is returned as it is stored. */
export async function* readTexts(
  sql: Sql,
  session: string,
  after: number,
): AsyncGenerator<{ seq: number; text: string }, void, undefined> {
  for await (const page of readPages(sql, session, after)) {
    for (const { seq, record, from } of page) yield { seq, text: toText(record, from) };
  }
}

/** Events after `after` in order. @throws KlausError `store.corrupt`. */
export async function* readEvents(sql: Sql, session: string, after: number): AsyncGenerator<Event, void, undefined> {
  for await (const events of readBatches(sql, session, after)) yield* events;
}

interface Stored {
  seq: number;
  record: string;
  /** Its position, for error messages. */
  from: { file: string; place: string };
}

/** @throws KlausError `store.corrupt` for a gap, after the records before it. */
async function* readPages(sql: Sql, session: string, after: number): AsyncGenerator<Stored[], void, undefined> {
  let last = after;
  for (;;) {
    const rows = await sql.all<{ seq: number; record: string }>(
      'SELECT seq, record FROM events WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3',
      [session, last, PAGE],
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
      page.push({ seq, record, from: { file: 'Postgres', place } });
    }
    if (page.length > 0) yield page;
    if (missing !== undefined) throw corrupt(`${missing} is missing`);
    if (rows.length < PAGE) return;
  }
}
