import { headOf } from '@klaus/core/cut-text';
import type { Recall } from '@klaus/core/agent';
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
import { toPhrase, toWords } from '../../shared/recall/words.ts';
import type { Database } from '../database.ts';
import { type EventRow, toEvent } from '../queries/events.ts';
import { buildIndex, type ReadBlob, readComplete } from './build-index.ts';
import { toTextQuery } from './search-text.ts';

/** Full-text search in one session's log. A search updates the index first. */
export function createRecall(database: Database, options: { session: string; readBlob: ReadBlob }): Recall {
  const { session, readBlob } = options;
  const read = async (seq: number): Promise<{ turn: number; title: string; text: string } | undefined> => {
    const text = 'SELECT session_id AS session, seq, record FROM events WHERE session_id = $1 AND seq = $2';
    const row = await database.get<EventRow>(text, [session, seq]);
    const record = row && toRecordText(toEvent(row));
    return record && { turn: record.turn, title: record.title, text: await readComplete(record, readBlob) };
  };
  return {
    async search(query, { limit = RECALL_LIMIT } = {}) {
      const words = toWords(query);
      if (words.length === 0) return { hits: [], skipped: [] };
      await buildIndex(database, options);
      const weights = await weigh(database, session, words);
      const finding = { session, weights, limit, read };
      const indexed = await findIndexed(database, toQueries(query), finding);
      const large = await scanLarge(database, finding);
      return { hits: takeBest([...indexed, ...large.hits], limit), skipped: large.skipped };
    },
    async read(seq, { start = 0, max }) {
      const found = Number.isInteger(seq) && seq > 0 ? await read(seq) : undefined;
      if (!found) return undefined;
      const from = Math.min(Math.max(0, start), found.text.length);
      const text = headOf(found.text.slice(from), max);
      return { seq, turn: found.turn, title: found.title, text, start: from, length: found.text.length };
    },
  };
}

/**
 * Queries of `to_tsquery`, the strictest first: the phrase, all words, any word, and any word with one of them as a prefix.
 * The order of a query with all words prefers those that are near each other.
 */
function toQueries(query: string): string[] {
  const words = toWords(query);
  const starts = toTextQuery(words, '|', { prefix: true });
  if (words.length === 1) return [toTextQuery(words, '&'), starts];
  return [toTextQuery(toPhrase(query), '<->'), toTextQuery(words, '&'), toTextQuery(words, '|'), starts];
}

interface Finding {
  session: string;
  weights: ReadonlyMap<string, number>;
  limit: number;
  read: (seq: number) => Promise<{ text: string } | undefined>;
}

const CHUNKS = 'FROM recall_documents AS d JOIN recall_chunks AS c ON c.document = d.id WHERE d.session_id = $1';

/** The weights of the words by their frequency in the session. */
async function weigh(database: Database, session: string, words: readonly string[]): Promise<Map<string, number>> {
  const counts = words.map((_, at) => `count(*) FILTER (WHERE words @@ to_tsquery('klaus', $${at + 2})) AS word${at}`);
  const row = (await database.get<Record<string, number>>(`SELECT count(*) AS total, ${counts.join(', ')} ${CHUNKS}`, [
    session,
    ...words.map((word) => toTextQuery([word], '&')),
  ]))!;
  return toWeights(
    words.map((word, at) => [word, row[`word${at}`]!] as const),
    row['total']!,
  );
}

async function findIndexed(
  database: Database,
  queries: readonly string[],
  { session, weights, limit, read }: Finding,
): Promise<Ranked[]> {
  const hits = new Map<string, Ranked>();
  const texts = new Map<number, string>();
  for (const query of queries) {
    const rows = await database.all<RecallChunk>(
      `SELECT d.seq, d.turn, d.title, c.start, c.length AS size ${CHUNKS} AND words @@ to_tsquery('klaus', $2)
        ORDER BY ts_rank_cd('{0, 0, 0.7, 1}', words, to_tsquery('klaus', $2), 1) DESC, d.seq DESC, c.start LIMIT $3`,
      [session, query, CANDIDATES],
    );
    for (const row of rows) {
      const key = `${row.seq}:${row.start}`;
      if (hits.has(key)) continue;
      if (!texts.has(row.seq)) texts.set(row.seq, (await read(row.seq))?.text ?? '');
      hits.set(key, toChunkHit(row, texts.get(row.seq)!, weights));
    }
    if (hits.size >= Math.max(limit, CANDIDATES)) break;
  }
  return [...hits.values()];
}

/** Scans texts that are too long for the index, up to a limit. */
async function scanLarge(
  database: Database,
  { session, weights, limit, read }: Finding,
): Promise<{ hits: Ranked[]; skipped: number[] }> {
  const rows = await database.all<RecallDocument & { length: number }>(
    'SELECT seq, turn, title, length FROM recall_documents WHERE session_id = $1 AND large = 1 ORDER BY seq DESC',
    [session],
  );
  const { scanned, skipped } = splitLarge(rows);
  const hits: Ranked[] = [];
  for (const row of scanned) hits.push(...toLargeHits(row, (await read(row.seq))?.text ?? '', { weights, limit }));
  return { hits, skipped };
}
