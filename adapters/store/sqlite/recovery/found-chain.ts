import { FIRST_PREV } from '@klaus/core/protocol';
import type { KnownHashes } from '../../shared/session-records.ts';
import { toHash, toObject } from '../log/record.ts';
import type { DamagedPages, Locator } from './damaged-pages.ts';

/** Rows that may be records of one chain, by seq. The hashes of the chain decide. */
export type FoundRows = Map<number, Locator[]>;

export function addRow(rows: FoundRows, seq: number, locator: Locator): void {
  rows.set(seq, [...(rows.get(seq) ?? []), locator]);
}

interface ChainOptions {
  /** Position of the record in its row. */
  column: number;
  /** Only records of this session belong to the chain. Default: all do. */
  session?: string;
}

/** What is known about a chain from elsewhere. */
interface Proofs {
  /** Hashes that the heads of the chain had. */
  heads: ReadonlyMap<number, ReadonlySet<string>>;
  /** Hashes in the host chain. Default: none. */
  anchors?: KnownHashes;
}

/**
 * The records of a chain from the first one on, as long as it is intact: each contains the hash of the one before, and
 * nothing that was found contradicts them. So a record that was altered is left out, and not only those after it.
 */
export function* readIntactChain(
  pages: DamagedPages,
  rows: FoundRows,
  options: ChainOptions & Proofs,
): Generator<{ record: string; hash: string }, void, undefined> {
  const hashes = [...readFoundChain(pages, rows, options)].map(({ hash }) => hash);
  const length = findIntactLength(pages, rows, { ...options, hashes });
  let count = 0;
  for (const link of readFoundChain(pages, rows, options)) {
    if (count++ === length) return;
    yield link;
  }
}

function findIntactLength(
  pages: DamagedPages,
  rows: FoundRows,
  { hashes, heads, anchors = new Map(), ...options }: ChainOptions & Proofs & { hashes: readonly string[] },
): number {
  let proven = 0;
  for (const [seq, hash] of [...anchors].toSorted(([a], [b]) => a - b)) {
    if (seq > hashes.length) break;
    // One of the records since the last anchor was altered, and those after it were rewritten.
    if (hashes[seq - 1] !== hash) return proven;
    proven = seq;
  }
  const last = hashes.length;
  const hash = hashes.at(-1);
  if (hash === undefined || proven === last || heads.get(last)?.has(hash)) return last;
  const contradicts =
    heads.has(last) || readRows(pages, rows.get(last + 1) ?? [], { ...options, seq: last + 1 }).length > 0;
  return contradicts ? last - 1 : last;
}

function* readFoundChain(
  pages: DamagedPages,
  rows: FoundRows,
  options: ChainOptions,
): Generator<{ record: string; hash: string }, void, undefined> {
  let prev = FIRST_PREV;
  for (let seq = 1; ; seq++) {
    const next = readRows(pages, rows.get(seq) ?? [], { ...options, seq }).find((found) => found.prev === prev);
    if (next === undefined) return;
    prev = toHash(next.record);
    yield { record: next.record, hash: prev };
  }
}

/** The readable records of the rows with one seq. */
function readRows(
  pages: DamagedPages,
  locators: readonly Locator[],
  { column, session, seq }: ChainOptions & { seq: number },
): { record: string; prev: string }[] {
  return locators.flatMap((locator) =>
    [true, false].flatMap((preferLog) => {
      const record = pages.row(locator, { preferLog })?.[column];
      if (typeof record !== 'string') return [];
      const fields = toObject(record);
      const isOwn = session === undefined || fields?.['session'] === session;
      const prev = fields?.['prev'];
      return isOwn && fields?.['seq'] === seq && typeof prev === 'string' ? [{ record, prev }] : [];
    }),
  );
}
