import type { Recall, RecalledText, RecallSearch } from '@klaus/core/agent';
import type { Blobs } from '../log/blobs.ts';
import type { Database } from '../database.ts';
import type { GroupCommit } from '../log/group-commit.ts';
import { readEvents } from '../log/log.ts';
import { buildIndex, readComplete } from './build-index.ts';
import { toRecordText } from './document.ts';
import { findPassages, findPlaces, toExcerpt, weighIn } from './excerpt.ts';
import { toQueries, toWords } from './query.ts';

const LIMIT = 6;
/** Pieces of the index that one query is asked for: which of them is best shows in their text. */
const CANDIDATES = 40;
/** Characters of the large texts that one search looks through, the newest first. */
const MAX_SCANNED = 96_000_000;

/** What one session's log can tell. The index is made when something is looked for. */
export function createRecall(
  database: Database,
  options: { session: string; blobs: Blobs; commits: GroupCommit },
): Recall {
  const { session, blobs } = options;
  const read = (seq: number): { turn: number; title: string; text: string } | undefined => {
    const { value: event } = readEvents(database, session, seq - 1).next();
    const record = event ? toRecordText(event) : undefined;
    return record && { turn: record.turn, title: record.title, text: readComplete(record, blobs) };
  };
  return {
    async search(query, { limit = LIMIT } = {}) {
      const words = toWords(query);
      if (words.length === 0) return { hits: [], skipped: [] };
      await buildIndex(database, options);
      const weights = weigh(database, session, words);
      const finding = { session, weights, limit, read };
      const indexed = findIndexed(database, toQueries(query), finding);
      const large = scanLarge(database, finding);
      return { hits: takeBest([...indexed, ...large.hits], limit), skipped: large.skipped };
    },
    async read(seq, { start = 0, max }) {
      const found = Number.isInteger(seq) && seq > 0 ? read(seq) : undefined;
      if (!found) return undefined;
      const from = Math.min(Math.max(0, start), found.text.length);
      const text = found.text.slice(from, from + max);
      return { seq, turn: found.turn, title: found.title, text, start: from, length: found.text.length };
    },
  };
}

type Ranked = RecalledText & { score: number };

interface Finding {
  session: string;
  weights: ReadonlyMap<string, number>;
  limit: number;
  read: (seq: number) => { text: string } | undefined;
}

/** A word that stands in few places says more than one that stands everywhere. */
function weigh(database: Database, session: string, words: readonly string[]): Map<string, number> {
  const count = (match: string): number =>
    database.get<{ count: number }>(
      'SELECT count(*) AS count FROM recall_fts WHERE recall_fts MATCH ?',
      `session:"${session}"${match}`,
    )!.count;
  const all = count('');
  return new Map(words.map((word) => [word, Math.log(1 + (1 + all) / (1 + count(` AND {text parts}:"${word}"`)))]));
}

interface Row {
  seq: number;
  turn: number;
  title: string;
  start: number;
  size: number;
}

function findIndexed(
  database: Database,
  queries: readonly string[],
  { session, weights, limit, read }: Finding,
): Ranked[] {
  const hits = new Map<string, Ranked>();
  const texts = new Map<number, string>();
  for (const query of queries) {
    const rows = database.all<Row>(
      `SELECT d.seq, d.turn, d.title, c.start, c.length AS size
        FROM recall_fts JOIN recall_chunks c ON c.id = recall_fts.rowid JOIN recall_documents d ON d.id = c.document
        WHERE recall_fts MATCH ? ORDER BY bm25(recall_fts, 0.0, 1.0, 0.7), d.seq DESC LIMIT ?`,
      `session:"${session}" AND {text parts}:(${query})`,
      CANDIDATES,
    );
    for (const { seq, turn, title, start, size } of rows) {
      const key = `${seq}:${start}`;
      if (hits.has(key)) continue;
      if (!texts.has(seq)) texts.set(seq, read(seq)?.text ?? '');
      const text = texts.get(seq)!;
      // What only the index's own view of words matches, such as the parts of a name, has no passage.
      const [best = { at: 0, score: 0 }] = findPassages(
        findPlaces(text.slice(start, start + size), weights.keys()),
        weights,
        1,
      );
      const excerpt = toExcerpt(text, start + best.at);
      hits.set(key, { seq, turn, title, ...excerpt, length: text.length, score: best.score });
    }
    if (hits.size >= Math.max(limit, CANDIDATES)) break;
  }
  return [...hits.values()];
}

/** Texts that are too long for the index are looked through, as far as that is bearable. */
function scanLarge(
  database: Database,
  { session, weights, limit, read }: Finding,
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
    const places = findPlaces(text, weights.keys());
    for (const { at, score } of findPassages(places, weighIn(text, places, weights), limit)) {
      hits.push({ seq, turn, title, ...toExcerpt(text, at), length: text.length, score });
    }
  }
  return { hits, skipped };
}

/** The best first; of equals those that came first. What is shown already is not shown again, nor the same text twice. */
function takeBest(hits: readonly Ranked[], limit: number): RecalledText[] {
  const kept: RecalledText[] = [];
  for (const { score: _, ...hit } of [...hits].sort((a, b) => b.score - a.score)) {
    const isShown = kept.some(
      (other) =>
        other.text === hit.text ||
        (other.seq === hit.seq &&
          hit.start < other.start + other.text.length &&
          other.start < hit.start + hit.text.length),
    );
    if (!isShown) kept.push(hit);
    if (kept.length === limit) break;
  }
  return kept;
}
