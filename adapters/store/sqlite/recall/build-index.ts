import type { Event } from '@klaus/core/protocol';
import type { Blobs } from '../log/blobs.ts';
import type { Database } from '../database.ts';
import type { GroupCommit } from '../log/group-commit.ts';
import { readEvents } from '../log/log.ts';
import { readInput } from '../queries/decisions.ts';
import { toChunks, toNameParts } from '../../shared/recall/chunks.ts';
import { isLarge, toComplete, toRecordText, toSize, type RecordText } from '../../shared/recall/document.ts';
import { INDEX_BATCH, INDEX_RECORDS } from '../../shared/recall/index-limits.ts';
import { toTitle } from '../../shared/recall/title.ts';

export async function buildIndex(
  database: Database,
  { session, blobs, commits }: { session: string; blobs: Blobs; commits: GroupCommit },
): Promise<void> {
  while (!(await commits.run(() => indexSome(database, session, blobs))));
}

/** Runs in the caller's transaction. True when nothing is left. */
function indexSome(database: Database, session: string, blobs: Blobs): boolean {
  const head = database.get<{ seq: number }>('SELECT seq FROM recall_heads WHERE session_id = ?', session)?.seq ?? 0;
  let last = head;
  let room = INDEX_BATCH;
  let isDone = true;
  for (const event of readEvents(database, session, head)) {
    if (room <= 0 || last >= head + INDEX_RECORDS) {
      isDone = false;
      break;
    }
    last = event.seq;
    room -= indexEvent(database, event, blobs);
  }
  if (last > head) {
    database.run(
      'INSERT INTO recall_heads (session_id, seq) VALUES (?1, ?2) ON CONFLICT (session_id) DO UPDATE SET seq = ?2',
      session,
      last,
    );
  }
  return isDone;
}

/** Returns the number of indexed characters. */
function indexEvent(database: Database, event: Event, blobs: Blobs): number {
  const record = toRecordText(event);
  if (!record) return 0;
  const large = isLarge(record);
  const text = large ? '' : readComplete(record, blobs);
  const document = database.get<{ id: number }>(
    `INSERT INTO recall_documents (session_id, seq, turn, title, length, large) VALUES (?, ?, ?, ?, ?, ?) RETURNING id`,
    event.session,
    event.seq,
    record.turn,
    toTitle(record, record.call === undefined ? undefined : readInput(database, event.session, record.call)),
    large ? toSize(record) : text.length,
    Number(large),
  )!.id;
  for (const chunk of toChunks(text)) {
    const { id } = database.get<{ id: number }>(
      'INSERT INTO recall_chunks (document, start, length) VALUES (?, ?, ?) RETURNING id',
      document,
      chunk.start,
      chunk.text.length,
    )!;
    database.run(
      'INSERT INTO recall_fts (rowid, session, text, parts) VALUES (?, ?, ?, ?)',
      id,
      event.session,
      chunk.text,
      toNameParts(chunk.text),
    );
  }
  return text.length;
}

/** The complete text of a record, from its blob if the log contains only a part of it. */
export function readComplete(record: RecordText, blobs: Blobs): string {
  return toComplete(record, record.blob && blobs.read(record.blob.hash));
}
