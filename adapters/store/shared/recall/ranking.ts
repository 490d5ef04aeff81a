import type { RecalledText } from '@klaus/core/agent';
import { findPassages, findPositions, toExcerpt, weighIn } from './excerpt.ts';

/** Default of the limit of a search. */
export const RECALL_LIMIT = 6;
/** Chunks that one query of the index returns. Their text decides which is best. */
export const CANDIDATES = 40;
/** Characters of large texts that one search scans, the newest first. */
const MAX_SCANNED = 96_000_000;

/** A hit with the weight of its words. */
export type Ranked = RecalledText & { score: number };

/** A record in the index. */
export interface RecallDocument {
  seq: number;
  turn: number;
  title: string;
}

/** A part of a record that the index found. */
export interface RecallChunk extends RecallDocument {
  start: number;
  size: number;
}

/**
 * Rare words have a higher weight than frequent ones.
 *
 * @param counts Chunks with each word. @param all Chunks of the session.
 */
export function toWeights(counts: Iterable<readonly [word: string, count: number]>, all: number): Map<string, number> {
  return new Map([...counts].map(([word, count]) => [word, Math.log(1 + (1 + all) / (1 + count))]));
}

/** The best passage of a chunk. @param text The complete text of its record. */
export function toChunkHit(
  { seq, turn, title, start, size }: RecallChunk,
  text: string,
  weights: ReadonlyMap<string, number>,
): Ranked {
  // A match by the tokenizer of the index alone, such as a part of a name, has no passage.
  const [best = { at: 0, score: 0 }] = findPassages(
    findPositions(text.slice(start, start + size), weights.keys()),
    weights,
    1,
  );
  return { seq, turn, title, ...toExcerpt(text, start + best.at), length: text.length, score: best.score };
}

/** The best passages of a text that is too long for the index. */
export function toLargeHits(
  { seq, turn, title }: RecallDocument,
  text: string,
  { weights, limit }: { weights: ReadonlyMap<string, number>; limit: number },
): Ranked[] {
  const places = findPositions(text, weights.keys());
  return findPassages(places, weighIn(text, places, weights), limit).map(({ at, score }) => ({
    ...{ seq, turn, title, length: text.length, score },
    ...toExcerpt(text, at),
  }));
}

/** The texts that one search scans, and the seqs of the others. @param rows The newest first. */
export function splitLarge<T extends { seq: number; length: number }>(
  rows: readonly T[],
): { scanned: T[]; skipped: number[] } {
  const scanned: T[] = [];
  const skipped: number[] = [];
  let room = MAX_SCANNED;
  for (const row of rows) {
    room -= row.length;
    if (room < 0) skipped.push(row.seq);
    else scanned.push(row);
  }
  return { scanned, skipped };
}

/** The best first, of equal ones the first. Without overlaps and duplicates. */
export function takeBest(hits: readonly Ranked[], limit: number): RecalledText[] {
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
