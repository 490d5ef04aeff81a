import type { Event } from '@klaus/core/protocol';
import { toChunks, toNameParts } from '../../shared/recall/chunks.ts';
import { isLarge, type RecordText, toComplete, toRecordText, toSize } from '../../shared/recall/document.ts';
import { INDEX_BATCH, INDEX_RECORDS } from '../../shared/recall/index-limits.ts';
import { toTitle } from '../../shared/recall/title.ts';
import type { Database, Sql } from '../database.ts';
import { readInput } from '../queries/decisions.ts';
import { type EventRow, toEvent } from '../queries/events.ts';
import { toStorable } from '../projections/storable.ts';
import { toSearchText } from './search-text.ts';

/** Reads a blob; undefined when it does not exist. */
export type ReadBlob = (hash: string) => Promise<Uint8Array | undefined>;

/** Records of one statement. */
const PAGE = 50;

/** Adds to the index of a session what was appended since the last call. */
export async function buildIndex(database: Database, options: { session: string; readBlob: ReadBlob }): Promise<void> {
  while (!(await database.transaction((sql) => indexSome(sql, options))));
}

/** True when nothing is left. */
async function indexSome(sql: Sql, { session, readBlob }: { session: string; readBlob: ReadBlob }): Promise<boolean> {
  // Of several searches of one session, one adds to the index at a time.
  await sql.run('INSERT INTO recall_heads (session_id, seq) VALUES ($1, 0) ON CONFLICT DO NOTHING', [session]);
  const { seq: head } = (await sql.get<{ seq: number }>(
    'SELECT seq FROM recall_heads WHERE session_id = $1 FOR UPDATE',
    [session],
  ))!;
  let last = head;
  let room = INDEX_BATCH;
  let isDone = false;
  while (!isDone && room > 0 && last < head + INDEX_RECORDS) {
    const rows = await sql.all<EventRow>(
      'SELECT session_id AS session, seq, record FROM events WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3',
      [session, last, PAGE],
    );
    for (const row of rows) {
      if (room <= 0) break;
      last = row.seq;
      room -= await indexEvent(sql, toEvent(row), readBlob);
    }
    isDone = rows.length < PAGE && last === (rows.at(-1)?.seq ?? last);
  }
  if (last > head) await sql.run('UPDATE recall_heads SET seq = $2 WHERE session_id = $1', [session, last]);
  return isDone;
}

/** Returns the number of indexed characters. */
async function indexEvent(sql: Sql, event: Event, readBlob: ReadBlob): Promise<number> {
  const record = toRecordText(event);
  if (!record) return 0;
  const large = isLarge(record);
  const text = large ? '' : await readComplete(record, readBlob);
  const input = record.call === undefined ? undefined : await readInput(sql, event.session, record.call);
  const { id: document } = (await sql.get<{ id: number }>(
    `INSERT INTO recall_documents (session_id, seq, turn, title, length, large) VALUES ($1, $2, $3, $4, $5, $6)
      RETURNING id`,
    [
      event.session,
      event.seq,
      record.turn,
      toStorable(toTitle(record, input)),
      large ? toSize(record) : text.length,
      Number(large),
    ],
  ))!;
  const chunks = [...toChunks(text)];
  if (chunks.length > 0) {
    await sql.run(
      `INSERT INTO recall_chunks (document, start, length, words)
        SELECT $1, start, length, setweight(to_tsvector('klaus', text), 'A') || setweight(to_tsvector('klaus', parts), 'B')
        FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[]) AS added(start, length, text, parts)`,
      [
        document,
        chunks.map(({ start }) => start),
        chunks.map((chunk) => chunk.text.length),
        chunks.map((chunk) => toSearchText(chunk.text)),
        chunks.map((chunk) => toSearchText(toNameParts(chunk.text))),
      ],
    );
  }
  return text.length;
}

/** The complete text of a record, from its blob if the log contains only a part of it. */
export async function readComplete(record: RecordText, readBlob: ReadBlob): Promise<string> {
  return toComplete(record, record.blob && (await readBlob(record.blob.hash)));
}
