import { FIRST_PREV } from '@klaus/core/protocol';
import type { Database } from './database.ts';
import { readHead } from './log.ts';
import { toHash, toObject } from './record.ts';

/** What walking a session's chain found. */
export type ChainReport =
  | { intact: true; records: number }
  | {
      intact: false;
      /** Records before the first bad one. */
      records: number;
      /** The first record that is not as it was written. */
      seq: number;
      problem: 'altered' | 'dropped' | 'reordered';
      /** One sentence. */
      message: string;
    };

interface Row {
  seq: number;
  record: string;
}

interface Link {
  text: string;
  hash: string;
  seq: unknown;
  prev: unknown;
}

/**
 * Walks the session's chain from its first record: each names the hash of the one before it, and the
 * head names the last. Finds the first record that was altered, dropped or moved.
 */
export function verifyChain(database: Database, session: string): ChainReport {
  const head = readHead(database, session) ?? { seq: 0, hash: FIRST_PREV };
  const links = readLinks(database, session);
  let expected = FIRST_PREV;
  let current = links.next();
  for (let seq = 1; seq <= head.seq; seq++) {
    if (current.done || current.value.row > seq) return report('dropped', seq);
    const link = current.value;
    if (link.seq !== seq) return report(typeof link.seq === 'number' ? 'reordered' : 'altered', seq);
    current = links.next();
    const next = current.done ? head.hash : current.value.prev;
    if (link.prev !== expected) {
      // Either this record's link is wrong or the one before it is not what it was. When the record after
      // this one confirms this one, it is the one before.
      return report('altered', next === link.hash && seq > 1 ? seq - 1 : seq);
    }
    if (current.done && seq === head.seq && link.hash !== head.hash) return report('altered', seq);
    expected = link.hash;
  }
  return current.done ? { intact: true, records: head.seq } : report('altered', head.seq + 1);
}

const WORDS = { altered: 'was altered', dropped: 'is missing', reordered: 'is not in its place' } as const;

function report(problem: keyof typeof WORDS, seq: number): ChainReport {
  return { intact: false, records: seq - 1, seq, problem, message: `Record ${seq} ${WORDS[problem]}.` };
}

function* readLinks(database: Database, session: string): Generator<Link & { row: number }, void, undefined> {
  const sql = 'SELECT seq, record FROM events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT 128';
  for (let last = -1; ;) {
    const rows = database.all<Row>(sql, session, last);
    for (const row of rows) {
      const fields = toObject(row.record);
      yield { row: row.seq, text: row.record, hash: toHash(row.record), seq: fields?.['seq'], prev: fields?.['prev'] };
      last = row.seq;
    }
    if (rows.length === 0) return;
  }
}
