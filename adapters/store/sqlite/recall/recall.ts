import type { Recall, RecalledText, RecallSearch } from '@klaus/core/agent';
import type { Blobs } from '../blobs.ts';
import type { Database } from '../database.ts';
import type { GroupCommit } from '../group-commit.ts';
import { readEvents } from '../log.ts';
import { buildIndex, toWhole } from './build-index.ts';
import { toRecordText } from './document.ts';
import { findWindows, showAround } from './excerpt.ts';
import { toQueries, toWords } from './query.ts';

const LIMIT = 6;
/** Characters of the large texts that one search looks through, the newest first. */
const MAX_SCANNED = 96_000_000;

interface Row {
  seq: number;
  turn: number;
  title: string;
  start: number;
  size: number;
}

/** What one session's log can tell. The index is made when something is looked for. */
export function createRecall(
  database: Database,
  options: { session: string; blobs: Blobs; commits: GroupCommit },
): Recall {
  const { session, blobs } = options;
  const read = (seq: number): { turn: number; title: string; text: string } | undefined => {
    const { value: event } = readEvents(database, session, seq - 1).next();
    const record = event?.seq === seq ? toRecordText(event) : undefined;
    return record && { turn: record.turn, title: record.title, text: toWhole(record, blobs) };
  };
  return {
    async search(query, { limit = LIMIT } = {}) {
      const words = toWords(query);
      if (words.length === 0) return { hits: [], skipped: [] };
      await buildIndex(database, options);
      const indexed = findIndexed(database, { session, query, limit, words, read });
      const large = scanLarge(database, { session, words, limit, read });
      return { hits: merge([...indexed, ...large.hits], limit), skipped: large.skipped };
    },
    read(seq, { start = 0, max }) {
      const found = read(seq);
      if (!found) return undefined;
      const from = Math.min(Math.max(0, start), found.text.length);
      const text = found.text.slice(from, from + max).toWellFormed();
      return { seq, turn: found.turn, title: found.title, text, start: from, length: found.text.length };
    },
  };
}

/** A hit with the number of asked words that stand together in it. */
type Ranked = RecalledText & { words: number };

interface Finding {
  session: string;
  words: readonly string[];
  limit: number;
  read: (seq: number) => { text: string } | undefined;
}

function findIndexed(
  database: Database,
  { session, query, limit, words, read }: Finding & { query: string },
): Ranked[] {
  const hits = new Map<string, Ranked>();
  const texts = new Map<number, string>();
  for (const match of toQueries(query)) {
    const rows = database.all<Row>(
      `SELECT d.seq, d.turn, d.title, c.start, c.length AS size
        FROM recall_fts JOIN recall_chunks c ON c.id = recall_fts.rowid JOIN recall_documents d ON d.id = c.document
        WHERE recall_fts MATCH ? ORDER BY bm25(recall_fts, 0.0, 1.0, 0.7), d.seq DESC LIMIT ?`,
      `session:"${session}" AND {text parts}:(${match})`,
      limit,
    );
    for (const { seq, turn, title, start, size } of rows) {
      if (hits.has(`${seq}:${start}`)) continue;
      if (!texts.has(seq)) texts.set(seq, read(seq)?.text ?? '');
      const text = texts.get(seq)!;
      const { excerpt, words: count } = showAround(text, { start, end: start + size, words });
      hits.set(`${seq}:${start}`, { seq, turn, title, ...excerpt, length: text.length, words: count });
    }
    if (hits.size >= limit) break;
  }
  return [...hits.values()];
}

/** Texts that are too long for the index are looked through, as far as that is bearable. */
function scanLarge(
  database: Database,
  { session, words, limit, read }: Finding,
): { hits: Ranked[]; skipped: RecallSearch['skipped'] } {
  const rows = database.all<{ seq: number; turn: number; title: string; length: number }>(
    'SELECT seq, turn, title, length FROM recall_documents WHERE session_id = ? AND large = 1 ORDER BY seq DESC',
    session,
  );
  const hits: Ranked[] = [];
  const skipped: number[] = [];
  let room = MAX_SCANNED;
  for (const { seq, turn, title, length } of rows) {
    room -= length;
    if (room < 0) {
      skipped.push(seq);
      continue;
    }
    const text = read(seq)?.text ?? '';
    for (const { start, end } of findWindows(text, words, limit)) {
      const { excerpt, words: count } = showAround(text, { start, end, words });
      hits.push({ seq, turn, title, ...excerpt, length: text.length, words: count });
    }
  }
  return { hits, skipped };
}

/** Those with the most of the words first; of equals the order in which they came. Overlapping ones are one. */
function merge(hits: readonly Ranked[], limit: number): RecalledText[] {
  const sorted = [...hits].sort((a, b) => b.words - a.words);
  const kept: RecalledText[] = [];
  for (const { words: _, ...hit } of sorted) {
    const isShown = kept.some(
      (other) =>
        other.seq === hit.seq &&
        hit.start < other.start + other.text.length &&
        other.start < hit.start + hit.text.length,
    );
    if (!isShown) kept.push(hit);
    if (kept.length === limit) break;
  }
  return kept;
}
