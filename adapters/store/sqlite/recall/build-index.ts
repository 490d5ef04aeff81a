import type { Event } from '@klaus/core/protocol';
import { describeInput } from './describe-input.ts';
import type { Blobs } from '../log/blobs.ts';
import type { Database } from '../database.ts';
import type { GroupCommit } from '../log/group-commit.ts';
import { readEvents } from '../log/log.ts';
import { toChunks, toNameParts } from './chunks.ts';
import { toRecordText, type RecordText } from './document.ts';

/** Characters, or bytes of a blob, beyond which a text is looked through instead of being indexed. */
const LARGE = 400_000;
/** Characters that one transaction takes into the index: others write in between. */
const BATCH = 200_000;
/** Records that one transaction looks at. */
const MAX_RECORDS = 500;

/** Brings the index over a session's text up to date. */
export async function buildIndex(
  database: Database,
  { session, blobs, commits }: { session: string; blobs: Blobs; commits: GroupCommit },
): Promise<void> {
  let isDone = false;
  while (!isDone) {
    await commits.run(
      () => {
        isDone = indexSome(database, session, blobs);
      },
      () => {},
    );
  }
}

/** Runs in the caller's transaction. True when nothing is left. */
function indexSome(database: Database, session: string, blobs: Blobs): boolean {
  const head = database.get<{ seq: number }>('SELECT seq FROM recall_heads WHERE session_id = ?', session)?.seq ?? 0;
  let last = head;
  let room = BATCH;
  let isDone = true;
  for (const event of readEvents(database, session, head)) {
    if (room <= 0 || last >= head + MAX_RECORDS) {
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

/** Returns the characters that came into the index. */
function indexEvent(database: Database, event: Event, blobs: Blobs): number {
  const record = toRecordText(event);
  if (!record) return 0;
  const isLarge = (record.blob?.size ?? record.text.length) > LARGE;
  const text = isLarge ? '' : readComplete(record, blobs);
  const document = database.get<{ id: number }>(
    `INSERT INTO recall_documents (session_id, seq, turn, title, length, large) VALUES (?, ?, ?, ?, ?, ?) RETURNING id`,
    event.session,
    event.seq,
    record.turn,
    toTitle(database, event.session, record),
    isLarge ? (record.blob?.size ?? record.text.length) : text.length,
    Number(isLarge),
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

/** The text of a record, from its blob where the log holds only a part of it. */
export function readComplete(record: RecordText, blobs: Blobs): string {
  const bytes = record.blob && blobs.read(record.blob.hash);
  return bytes ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : record.text;
}

/** `result of read_file src/a.ts`: a result alone does not say what it is the result of. */
function toTitle(database: Database, session: string, { title, call }: RecordText): string {
  if (call === undefined) return title;
  const row = database.get<{ input: string }>(
    'SELECT input FROM tool_calls WHERE session_id = ? AND tool_call_id = ? ORDER BY id DESC LIMIT 1',
    session,
    call,
  );
  const what = row ? describeInput(row.input) : '';
  return what === '' ? title : `${title} ${what}`;
}
