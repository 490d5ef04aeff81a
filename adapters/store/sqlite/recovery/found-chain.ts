import { FIRST_PREV } from '@klaus/core/protocol';
import { toHash, toObject } from '../log/record.ts';
import type { DamagedPages, Locator } from './damaged-pages.ts';

/** Rows that may be records of one chain, by seq. The hashes of the chain decide. */
export type FoundRows = Map<number, Locator[]>;

export function addRow(rows: FoundRows, seq: number, locator: Locator): void {
  rows.set(seq, [...(rows.get(seq) ?? []), locator]);
}

/**
 * The records of a chain from the first one on, as long as it is intact.
 *
 * @param options.column Position of the record in its row.
 * @param options.session Only records of this session belong to the chain. Default: all do.
 */
export function* readFoundChain(
  pages: DamagedPages,
  rows: FoundRows,
  options: { column: number; session?: string },
): Generator<{ record: string; hash: string }, void, undefined> {
  let prev = FIRST_PREV;
  for (let seq = 1; ; seq++) {
    const record = findRecord(pages, rows.get(seq) ?? [], { ...options, seq, prev });
    if (record === undefined) return;
    prev = toHash(record);
    yield { record, hash: prev };
  }
}

function findRecord(
  pages: DamagedPages,
  locators: readonly Locator[],
  { column, session, seq, prev }: { column: number; session?: string; seq: number; prev: string },
): string | undefined {
  for (const locator of locators) {
    for (const preferLog of [true, false]) {
      const record = pages.row(locator, { preferLog })?.[column];
      if (typeof record !== 'string') continue;
      const fields = toObject(record);
      const isOwn = session === undefined || fields?.['session'] === session;
      if (isOwn && fields?.['seq'] === seq && fields['prev'] === prev) return record;
    }
  }
  return undefined;
}
