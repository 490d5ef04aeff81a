import { headOf } from '@klaus/core/cut-text';
import type { Recall, RecallSearch } from '@klaus/core/agent';
import type { Blobs } from '../log/blobs.ts';
import type { Database } from '../database.ts';
import type { GroupCommit } from '../log/group-commit.ts';
import { readEvents } from '../log/log.ts';
import { buildIndex, readComplete } from './build-index.ts';
import { toRecordText } from '../../shared/recall/document.ts';
import {
  CANDIDATES,
  RECALL_LIMIT,
  type Ranked,
  type RecallChunk,
  type RecallDocument,
  splitLarge,
  takeBest,
  toChunkHit,
  toLargeHits,
  toWeights,
} from '../../shared/recall/ranking.ts';
import { toWords } from '../../shared/recall/words.ts';
import { toQueries } from './query.ts';

/** Full-text search in one session's log. A search updates the index first. */
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
    async search(query, { limit = RECALL_LIMIT } = {}) {
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
      const text = headOf(found.text.slice(from), max);
      return { seq, turn: found.turn, title: found.title, text, start: from, length: found.text.length };
    },
  };
}

interface Finding {
  session: string;
  weights: ReadonlyMap<string, number>;
  limit: number;
  read: (seq: number) => { text: string } | undefined;
}

/** The weights of the words by their frequency in the session. */
function weigh(database: Database, session: string, words: readonly string[]): Map<string, number> {
  const count = (match: string): number =>
    database.get<{ count: number }>(
      'SELECT count(*) AS count FROM recall_fts WHERE recall_fts MATCH ?',
      `session:"${session}"${match}`,
    )!.count;
  return toWeights(
    words.map((word) => [word, count(` AND {text parts}:"${word}"`)] as const),
    count(''),
  );
}

function findIndexed(
  database: Database,
  queries: readonly string[],
  { session, weights, limit, read }: Finding,
): Ranked[] {
  const hits = new Map<string, Ranked>();
  const texts = new Map<number, string>();
  for (const query of queries) {
    const rows = database.all<RecallChunk>(
      `SELECT d.seq, d.turn, d.title, c.start, c.length AS size
        FROM recall_fts JOIN recall_chunks c ON c.id = recall_fts.rowid JOIN recall_documents d ON d.id = c.document
        WHERE recall_fts MATCH ? ORDER BY bm25(recall_fts, 0.0, 1.0, 0.7), d.seq DESC LIMIT ?`,
      `session:"${session}" AND {text parts}:(${query})`,
      CANDIDATES,
    );
    for (const row of rows) {
      const key = `${row.seq}:${row.start}`;
      if (hits.has(key)) continue;
      if (!texts.has(row.seq)) texts.set(row.seq, read(row.seq)?.text ?? '');
      hits.set(key, toChunkHit(row, texts.get(row.seq)!, weights));
    }
    if (hits.size >= Math.max(limit, CANDIDATES)) break;
  }
  return [...hits.values()];
}

/** Scans texts that are too long for the index, up to a limit. */
function scanLarge(
  database: Database,
  { session, weights, limit, read }: Finding,
): { hits: Ranked[]; skipped: RecallSearch['skipped'] } {
  const rows = database.all<RecallDocument & { length: number }>(
    'SELECT seq, turn, title, length FROM recall_documents WHERE session_id = ? AND large = 1 ORDER BY seq DESC',
    session,
  );
  const { scanned, skipped } = splitLarge(rows);
  const hits = scanned.flatMap((row) => toLargeHits(row, read(row.seq)?.text ?? '', { weights, limit }));
  return { hits, skipped };
}
