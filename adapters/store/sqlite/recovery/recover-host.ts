import { FIRST_PREV, type HostEvent } from '@klaus/core/protocol';
import type { DamagedPages, Locator, Values } from './damaged-pages.ts';
import type { Database } from '../database.ts';
import { insertHostRecord } from '../log/host-chain.ts';
import { toHash, toObject } from '../log/record.ts';

/** Rows that may be records of the host chain, by seq. The hashes of the chain decide. */
export type HostRows = Map<number, Locator[]>;

/** Adds a row that may belong to `host_events`: id (stored as the row id), seq, at, type, subject, record. */
export function collectHostRow(found: HostRows, locator: Locator, values: Values): void {
  if (values.length !== 6 || values[0] !== null) return;
  const [, seq, at, type] = values;
  if (typeof seq !== 'number' || typeof at !== 'number' || typeof type !== 'string') return;
  found.set(seq, [...(found.get(seq) ?? []), locator]);
}

/** Writes the records of the host chain from the first one on, as long as the chain is intact. */
export function saveHostChain(
  target: Database,
  pages: DamagedPages,
  found: HostRows,
): { saved: number; lostFrom?: number } {
  let prev = FIRST_PREV;
  let saved = 0;
  for (;;) {
    const record = findRecord(pages, found.get(saved + 1) ?? [], { seq: saved + 1, prev });
    if (record === undefined) break;
    insertHostRecord(target, toObject(record) as HostEvent, record);
    prev = toHash(record);
    saved += 1;
  }
  const last = Math.max(0, ...found.keys());
  return { saved, ...(saved < last && { lostFrom: saved + 1 }) };
}

function findRecord(
  pages: DamagedPages,
  locators: readonly Locator[],
  expected: { seq: number; prev: string },
): string | undefined {
  for (const locator of locators) {
    for (const preferLog of [true, false]) {
      const record = pages.row(locator, { preferLog })?.[5];
      if (typeof record !== 'string') continue;
      const fields = toObject(record);
      if (fields?.['seq'] === expected.seq && fields['prev'] === expected.prev) return record;
    }
  }
  return undefined;
}
