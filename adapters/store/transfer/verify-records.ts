import { KlausError } from '@klaus/core/protocol';
import type { KnownHashes } from '../shared/session-records.ts';
import { toHash, toObject, type ChainHead } from '../sqlite/log/record.ts';
import type { StoredRecord } from './session-transfer.ts';

export interface VerifiedChain {
  session: string;
  /** The record after which they follow. */
  base: ChainHead;
  /** The last one. */
  head: ChainHead;
  /** Hashes of the session in the host chain. */
  known: KnownHashes | undefined;
}

/**
 * The same records, as long as they are the chain from `base` to `head` that the host chain knows.
 *
 * @throws KlausError `store.corrupt` after the pages before the first wrong record.
 */
export async function* verifyRecords(
  pages: AsyncIterable<readonly StoredRecord[]>,
  { session, base, head, known = new Map<number, string>() }: VerifiedChain,
): AsyncGenerator<readonly StoredRecord[], void, undefined> {
  let end = base;
  for await (const page of pages) {
    for (const { seq, type, record } of page) {
      const fields = toObject(record);
      const isNext = seq === end.seq + 1 && fields?.['seq'] === seq && fields['prev'] === end.hash;
      end = { seq, hash: toHash(record) };
      const isOwn = isNext && fields['session'] === session && fields['type'] === type;
      if (!isOwn || (known.get(seq) ?? end.hash) !== end.hash) throw toDamage(session, `record ${seq} was altered`);
    }
    yield page;
  }
  if (end.seq !== head.seq || end.hash !== head.hash) throw toDamage(session, `record ${head.seq} was altered`);
  const last = Math.max(0, ...known.keys());
  if (last > head.seq) throw toDamage(session, `record ${head.seq + 1} is missing`);
}

function toDamage(session: string, what: string): KlausError {
  return new KlausError('store.corrupt', `The log of session ${session} is damaged: ${what}.`, {
    hint: 'Run `klaus audit verify`. A damaged session is not copied.',
  });
}
