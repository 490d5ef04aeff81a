import type { HostEvent, HostEventBody } from '@klaus/core/protocol';
import { toHostEvent, toSubject, type Redact } from '../../shared/host-record.ts';
import { toHash, type ChainHead } from '../../sqlite/log/record.ts';
import type { Sql } from '../database.ts';

export interface HostDraft {
  body: HostEventBody;
  /** Unix milliseconds. */
  at: number;
}

/** Writes events at the end of the host chain. Runs in the caller's transaction, which holds the chain until its end. */
export async function appendHostRecords(sql: Sql, drafts: readonly HostDraft[], redact?: Redact): Promise<HostEvent[]> {
  let head = (await sql.get<ChainHead>('SELECT seq, hash FROM host_head WHERE id = 1 FOR UPDATE'))!;
  const events: HostEvent[] = [];
  const records: string[] = [];
  for (const { body, at } of drafts) {
    const event = toHostEvent(head, { body, at, redact });
    const record = JSON.stringify(event);
    head = { seq: event.seq, hash: toHash(record) };
    events.push(event);
    records.push(record);
  }
  await sql.run(
    `WITH moved AS (UPDATE host_head SET seq = $1, hash = $2 WHERE id = 1)
     INSERT INTO host_events (seq, at, type, subject, record)
     SELECT * FROM unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[])`,
    [
      head.seq,
      head.hash,
      events.map(({ seq }) => seq),
      events.map(({ at }) => Math.trunc(at)),
      events.map(({ type }) => type),
      events.map(toSubject),
      records,
    ],
  );
  return events;
}

export function readHostHead(sql: Sql): Promise<ChainHead | undefined> {
  return sql.get<ChainHead>('SELECT seq, hash FROM host_head WHERE id = 1');
}
