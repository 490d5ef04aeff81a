import type { HostFilter } from '@klaus/core/agent';
import { HOST_EVENT_VERSION } from '@klaus/core/protocol';
import type { HostEvent, HostEventBody, HostEventOf, HostEventType } from '@klaus/core/protocol';
import { GUARD_TYPES } from '../../shared/guard-types.ts';
import { toHostEvent, toSubject, type Redact } from '../../shared/host-record.ts';
import type { Database } from '../database.ts';
import { NO_HEAD, toHash, toVersioned, type ChainHead } from './record.ts';

interface HostRow {
  seq: number;
  record: string;
}

export function readHostHead(database: Database): ChainHead {
  return database.get<ChainHead>('SELECT seq, hash FROM host_head WHERE id = 1') ?? NO_HEAD;
}

/** Writes one event at the end of the host chain. Runs in the caller's transaction. */
export function appendHostRecord(
  database: Database,
  options: { body: HostEventBody; at: number; redact?: Redact },
): HostEvent {
  const event = toHostEvent(readHostHead(database), options);
  insertHostRecord(database, event, JSON.stringify(event));
  return event;
}

/** Stores one record unchanged and moves the head to it. */
export function insertHostRecord(database: Database, event: HostEvent, record: string): void {
  database.run(
    'INSERT INTO host_events (seq, at, type, subject, record) VALUES (?, ?, ?, ?, ?)',
    event.seq,
    Math.trunc(event.at),
    event.type,
    toSubject(event),
    record,
  );
  database.run(
    'INSERT INTO host_head (id, seq, hash) VALUES (1, ?, ?) ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash',
    event.seq,
    toHash(record),
  );
}

/**
 * Events of the host chain in order, or with `before` the newest first, read in pages.
 *
 * @throws KlausError `store.corrupt` for an invalid record.
 */
export function* readHostEvents(database: Database, filter: HostFilter = {}): Generator<HostEvent, void, undefined> {
  const { before, after = before ?? 0 } = filter;
  const values: [column: string, value: string | number][] = [];
  if (filter.since !== undefined) values.push(['at >=', filter.since]);
  if (filter.type !== undefined) values.push(['type =', filter.type]);
  if (filter.subject !== undefined) values.push(['subject =', filter.subject]);
  const conditions = values.map(([column], at) => `AND ${column} ?${at + 3}`).join(' ');
  const [compare, order] = before === undefined ? ['>', 'ASC'] : ['<', 'DESC'];
  const sql = `SELECT seq, record FROM host_events WHERE seq ${compare} ?1 ${conditions} ORDER BY seq ${order} LIMIT ?2`;
  for (const row of database.pages<HostRow>(sql, { key: 'seq', after }, ...values.map(([, value]) => value)))
    yield fromHostRow(database, row);
}

/** The newest event of one type about one subject. */
export function readLastHostEvent<T extends HostEventType>(
  database: Database,
  type: T,
  subject: string,
): HostEventOf<T> | undefined {
  const sql = 'SELECT seq, record FROM host_events WHERE type = ? AND subject = ? ORDER BY seq DESC LIMIT 1';
  const row = database.get<HostRow>(sql, type, subject);
  return row && (fromHostRow(database, row) as HostEventOf<T>);
}

/** Seq of the last event about the guard; 0 without one. */
export function readGuardSeq(database: Database): number {
  const sql = 'SELECT max(seq) AS seq FROM host_events WHERE type = ?';
  return Math.max(...GUARD_TYPES.map((type) => database.get<{ seq: number | null }>(sql, type)?.seq ?? 0));
}

function fromHostRow({ file }: Database, { seq, record }: HostRow): HostEvent {
  const place = `record ${seq} of the host chain`;
  return toVersioned(record, HOST_EVENT_VERSION, { file, place }) as unknown as HostEvent;
}
