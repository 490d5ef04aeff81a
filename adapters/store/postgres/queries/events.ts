import type { Event, EventOf, EventType } from '@klaus/core/protocol';
import { fromEventRow } from '../../sqlite/log/record.ts';
import type { Sql } from '../database.ts';

/** A row of `events` as a statement returns it. */
export interface EventRow {
  session: string;
  seq: number;
  record: string;
}

/** @throws KlausError `store.corrupt` for an invalid record. */
export function toEvent(row: EventRow): Event {
  return fromEventRow({ file: 'The database' }, row);
}

/** @throws KlausError `store.corrupt` for an invalid record. */
export function toEventOf<T extends EventType>(row: EventRow): EventOf<T> {
  return toEvent(row) as EventOf<T>;
}

/** Events of some types of a session, in order. @throws KlausError `store.corrupt` for an invalid record. */
export async function readEventsOf<T extends EventType>(
  sql: Sql,
  session: string,
  types: readonly T[],
): Promise<EventOf<T>[]> {
  const rows = await sql.all<EventRow>(`${SELECT} ORDER BY seq`, [session, types]);
  return rows.map((row) => toEventOf<T>(row));
}

/** The last event of some types of a session, found from its end. */
export async function readLastOf<T extends EventType>(
  sql: Sql,
  session: string,
  types: readonly T[],
): Promise<EventOf<T> | undefined> {
  const row = await sql.get<EventRow>(`${SELECT} ORDER BY seq DESC LIMIT 1`, [session, types]);
  return row && toEventOf<T>(row);
}

const SELECT = `SELECT session_id AS session, seq, record FROM events WHERE session_id = $1 AND type = ANY ($2::text[])`;
