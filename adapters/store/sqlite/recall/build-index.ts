import type { Event } from '@klaus/core/protocol';
import type { Blobs } from '../log/blobs.ts';
import type { Database } from '../database.ts';
import type { GroupCommit } from '../log/group-commit.ts';
import { readEvents } from '../log/log.ts';
import { toObject } from '../log/record.ts';
import { readInput } from '../queries/decisions.ts';
import { toRecordText, type RecordText } from './document.ts';

/** Characters, or bytes of a blob, from which on a text is scanned by searches instead of indexed. */
const LARGE = 400_000;
/** Characters that one transaction indexes, so that others can write in between. */
const BATCH = 200_000;
/** Records that one transaction reads. */
const MAX_RECORDS = 500;
/** Characters of a chunk. */
const CHUNK = 1_500;
/** Characters that a chunk shares with the previous one, so that text at a border is found completely. */
const OVERLAP = 200;
/** A chunk ends at a line break if there is one within this distance. */
const NEAR = 400;
/** Characters of an input in a title. */
const MAX_INPUT = 100;

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

/** Returns the number of indexed characters. */
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

function* toChunks(text: string): Generator<{ start: number; text: string }, void, undefined> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + CHUNK);
    if (end < text.length) {
      const line = text.lastIndexOf('\n', end);
      if (line > end - NEAR) end = line + 1;
    }
    yield { start, text: text.slice(start, end) };
    if (end === text.length) return;
    start = end - OVERLAP;
  }
}

/** The words inside names such as `maxRetries`, which the index treats as one word. */
function toNameParts(text: string): string {
  const names = text.match(/\b[A-Za-z0-9]*[a-z][A-Z][A-Za-z0-9]*\b/g) ?? [];
  return [...new Set(names)].map((name) => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')).join(' ');
}

/** The complete text of a record, from its blob if the log contains only a part of it. */
export function readComplete(record: RecordText, blobs: Blobs): string {
  const bytes = record.blob && blobs.read(record.blob.hash);
  return bytes ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : record.text;
}

/** `result of read_file src/a.ts`: a result does not contain its input. */
function toTitle(database: Database, session: string, { title, call }: RecordText): string {
  if (call === undefined) return title;
  const input = readInput(database, session, call);
  const what = input === undefined ? '' : describeInput(input);
  return what === '' ? title : `${title} ${what}`;
}

/** A description of a call in one line: its shortest meaningful text. */
function describeInput(json: string): string {
  const input = toObject(json);
  for (const key of ['path', 'command', 'pattern', 'query', 'url', 'ref', 'key']) {
    const value = input?.[key];
    if (typeof value !== 'string' || value === '') continue;
    const line = value.replaceAll(/\s+/g, ' ').trim();
    return line.length <= MAX_INPUT ? line : `${line.slice(0, MAX_INPUT)}…`.toWellFormed();
  }
  return '';
}
