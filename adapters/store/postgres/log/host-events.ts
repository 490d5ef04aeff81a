import type { HostFilter } from '@klaus/core/agent';
import { HOST_EVENT_VERSION, type HostEvent, type HostEventOf, type HostEventType } from '@klaus/core/protocol';
import { toVersioned } from '../../sqlite/log/record.ts';
import type { Sql } from '../database.ts';
import { readPages } from '../pages.ts';

/** A row of `host_events` as a statement returns it. */
export interface HostRow {
  seq: number;
  record: string;
}

/**
 * Events of the host chain in order, or with `before` the newest first, read in pages.
 *
 * @throws KlausError `store.corrupt` for an invalid record.
 */
export async function* readHostEvents(sql: Sql, filter: HostFilter = {}): AsyncGenerator<HostEvent, void, undefined> {
  const { before, after = before ?? 0, since = null, type = null, subject = null } = filter;
  const [compare, order] = before === undefined ? ['>', 'ASC'] : ['<', 'DESC'];
  const text = `SELECT seq, record FROM host_events WHERE seq ${compare} $1
    AND ($3::bigint IS NULL OR at >= $3) AND ($4::text IS NULL OR type = $4) AND ($5::text IS NULL OR subject = $5)
    ORDER BY seq ${order} LIMIT $2`;
  const values = [since === null ? null : Math.ceil(since), type, subject];
  for await (const row of readPages<HostRow>(sql, text, { key: 'seq', after, values })) yield fromHostRow(row);
}

/** The newest event of one type about one subject. */
export async function readLastHostEvent<T extends HostEventType>(
  sql: Sql,
  type: T,
  subject: string,
): Promise<HostEventOf<T> | undefined> {
  const text = 'SELECT seq, record FROM host_events WHERE type = $1 AND subject = $2 ORDER BY seq DESC LIMIT 1';
  const row = await sql.get<HostRow>(text, [type, subject]);
  return row && toHostEventOf<T>(row);
}

/** @throws KlausError `store.corrupt` for an invalid record. */
export function toHostEventOf<T extends HostEventType>(row: HostRow): HostEventOf<T> {
  return fromHostRow(row) as HostEventOf<T>;
}

function fromHostRow({ seq, record }: HostRow): HostEvent {
  const place = `record ${seq} of the host chain`;
  return toVersioned(record, HOST_EVENT_VERSION, { file: 'Postgres', place }) as unknown as HostEvent;
}
