import type { ChainReport } from '@klaus/core/agent';
import { FIRST_PREV, type HostEvent } from '@klaus/core/protocol';
import { collectKnownHashes, isRecordedType, type KnownHashes } from './session-records.ts';
import type { Database } from '../database.ts';
import { readHostHead } from './host-chain.ts';
import { readHead } from './log.ts';
import { NO_HEAD, toHash, toObject, type ChainHead } from './record.ts';

interface Link {
  /** The seq of its row. */
  row: number;
  hash: string;
  seq: unknown;
  prev: unknown;
  /** False when the other columns of the row differ from the record. */
  fits: boolean;
  /** False for a record of another session. */
  isOwn: boolean;
  /** Undefined for a text that is not a JSON object. */
  fields: Record<string, unknown> | undefined;
}

/**
 * Verifies a session's chain from its first record: each record contains the hash of the previous one, the head contains
 * that of the last, and the hashes in the host chain must match. The host chain detects a truncated log with a matching
 * head, and a log that was rewritten from some record on.
 *
 * @param known Hashes of this session in the host chain. Default: none.
 * @returns `unrecorded`: seq of a record that is missing in the host chain.
 */
export function verifyChain(
  database: Database,
  session: string,
  known: KnownHashes = new Map(),
): { report: ChainReport; unrecorded?: number } {
  const head = readHead(database, session) ?? NO_HEAD;
  const seen: KnownHashes = new Map();
  let lastRecorded = 0;
  const report = walk(readLinks(database, session), head, (link, seq) => {
    if (known.has(seq)) seen.set(seq, link.hash);
    if (isRecordedType(link.fields?.['type'])) lastRecorded = seq;
  });
  const checked = compareKnownHashes(report, known, seen);
  const isKnown = lastRecorded === 0 || [...known.keys()].some((seq) => seq >= lastRecorded);
  return { report: checked, ...(checked.intact && !isKnown && { unrecorded: lastRecorded }) };
}

/**
 * Verifies the host chain. Returns also what its intact part records about the sessions, and its head, which, stored
 * elsewhere, proves that a later chain without it was rewritten.
 */
export function verifyHostChain(database: Database) {
  const head = readHostHead(database);
  const knownHashes = new Map<string, KnownHashes>();
  const events: HostEvent[] = [];
  const report = walk(readHostLinks(database), head, (link) => void events.push(link.fields as HostEvent));
  for (const event of events.slice(0, report.records)) collectKnownHashes(knownHashes, event);
  return { report, knownHashes, head };
}

/** @param take Called with every record up to the first invalid one, in order, and possibly with that one. */
function walk(
  links: Generator<Link, void, undefined>,
  head: ChainHead,
  take: (link: Link, seq: number) => void,
): ChainReport {
  let expected = FIRST_PREV;
  let current = links.next();
  for (let seq = 1; seq <= head.seq; seq++) {
    if (current.done || current.value.row > seq) return toReport('dropped', seq);
    const link = current.value;
    if (link.seq !== seq) return toReport(typeof link.seq === 'number' ? 'reordered' : 'altered', seq);
    if (!link.isOwn) return toReport('reordered', seq);
    current = links.next();
    const next = current.done ? head.hash : current.value.prev;
    if (link.prev !== expected) {
      // Either this record or the previous one was altered. If the next record confirms this one, it is the previous one.
      return toReport('altered', next === link.hash && seq > 1 ? seq - 1 : seq);
    }
    if (!link.fits || (current.done && seq === head.seq && link.hash !== head.hash)) return toReport('altered', seq);
    take(link, seq);
    expected = link.hash;
  }
  return current.done ? { intact: true, records: head.seq } : toReport('altered', head.seq + 1);
}

/** The first problem, found in the chain itself or by comparison with the host chain. */
function compareKnownHashes(report: ChainReport, known: KnownHashes, seen: KnownHashes): ChainReport {
  let good = 0;
  for (const [seq, hash] of [...known].toSorted(([a], [b]) => a - b)) {
    if (seq > report.records) {
      if (!report.intact) return report;
      const message = `Record ${report.records + 1} is missing: the host chain contains record ${seq}.`;
      return { intact: false, records: report.records, seq: report.records + 1, problem: 'dropped', message };
    }
    if (seen.get(seq) !== hash) {
      const from = good + 1;
      const which = from === seq ? `Record ${seq}` : `One of the records ${from} to ${seq}`;
      const message = `${which} was altered, and later records were rewritten: the host chain contains another hash.`;
      return { intact: false, records: good, seq: from, problem: 'altered', message };
    }
    good = seq;
  }
  return report;
}

const WORDS = { altered: 'was altered', dropped: 'is missing', reordered: 'is not in its place' } as const;

function toReport(problem: keyof typeof WORDS, seq: number): ChainReport {
  return { intact: false, records: seq - 1, seq, problem, message: `Record ${seq} ${WORDS[problem]}.` };
}

function* readLinks(database: Database, session: string): Generator<Link, void, undefined> {
  const sql = 'SELECT seq, type, record FROM events WHERE session_id = ?3 AND seq > ?1 ORDER BY seq LIMIT ?2';
  type Row = { seq: number; type: string; record: string };
  for (const row of database.pages<Row>(sql, { key: 'seq', after: -1 }, session)) {
    const link = toLink(row);
    const { type, session: owner } = link.fields ?? {};
    yield { ...link, fits: link.fits && type === row.type, isOwn: owner === session };
  }
}

function* readHostLinks(database: Database): Generator<Link, void, undefined> {
  const sql = 'SELECT seq, at, type, subject, record FROM host_events WHERE seq > ?1 ORDER BY seq LIMIT ?2';
  type Row = { seq: number; at: number; type: string; subject: string; record: string };
  for (const row of database.pages<Row>(sql, { key: 'seq', after: -1 })) {
    const link = toLink(row);
    const { type, at, session, workspace } = link.fields ?? {};
    const isSame =
      type === row.type && Math.trunc(Number(at)) === row.at && (session ?? workspace ?? '') === row.subject;
    yield { ...link, fits: link.fits && isSame };
  }
}

function toLink(row: { seq: number; record: string }): Link {
  const fields = toObject(row.record);
  return {
    row: row.seq,
    hash: toHash(row.record),
    seq: fields?.['seq'],
    prev: fields?.['prev'],
    fits: fields !== undefined,
    isOwn: true,
    fields,
  };
}
