import type { ChainReport } from '@klaus/core/agent';
import { FIRST_PREV, type HostEvent } from '@klaus/core/protocol';
import { NO_HEAD, toHash, toObject, type ChainHead } from '../sqlite/log/record.ts';
import { isRecovery } from './recoveries.ts';
import { readRememberedProof } from './remembered-proof.ts';
import { collectKnownHashes, isRecordedType, type KnownHashes } from './session-records.ts';

/** What the verification of a chain needs of one record. */
export interface Link {
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

/** What is verified of a session. */
export interface SessionChain {
  /** Of its records, in order. */
  links: Iterable<Link>;
  head: ChainHead | undefined;
  /** Hashes of this session in the host chain. Default: none. */
  known?: KnownHashes;
}

/**
 * Verifies a session's chain from its first record: each record contains the hash of the previous one, the head contains
 * that of the last, and the hashes in the host chain must match. The host chain detects a truncated log with a matching
 * head, and a log that was rewritten from some record on.
 *
 * @returns `unrecorded`: seq of a record that is missing in the host chain.
 */
export function verifySessionLinks(chain: SessionChain): { report: ChainReport; unrecorded?: number } {
  const { links, head = NO_HEAD, known = new Map<number, string>() } = chain;
  const seen: KnownHashes = new Map();
  let lastRecorded = 0;
  const report = walk(links, head, (link, seq) => {
    if (known.has(seq)) seen.set(seq, link.hash);
    if (isRecordedType(link.fields?.['type'])) lastRecorded = seq;
  });
  const checked = compareKnownHashes(report, known, seen);
  const isKnown = lastRecorded === 0 || [...known.keys()].some((seq) => seq >= lastRecorded);
  return { report: checked, ...(checked.intact && !isKnown && { unrecorded: lastRecorded }) };
}

/**
 * Verifies the host chain. Returns also what its intact part records about the sessions, recoveries and approvals, and its
 * head, which, stored elsewhere, proves that a later chain without it was rewritten.
 */
export function verifyHostLinks(links: Iterable<Link>, head: ChainHead) {
  const knownHashes = new Map<string, KnownHashes>();
  const events: HostEvent[] = [];
  const report = walk(links, head, (link) => void events.push(link.fields as HostEvent));
  const intact = events.slice(0, report.records);
  for (const event of intact) collectKnownHashes(knownHashes, event);
  return { report, knownHashes, head, recoveries: intact.filter(isRecovery), remembered: readRememberedProof(intact) };
}

/** @param take Called with every record up to the first invalid one, in order, and possibly with that one. */
function walk(given: Iterable<Link>, head: ChainHead, take: (link: Link, seq: number) => void): ChainReport {
  const links = given[Symbol.iterator]();
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

/** A row of the table `events`. */
export function toSessionLink(session: string, row: { seq: number; type: string; record: string }): Link {
  const link = toLink(row);
  const { type, session: owner } = link.fields ?? {};
  return { ...link, fits: link.fits && type === row.type, isOwn: owner === session };
}

/** A row of the table `host_events`. */
export function toHostLink(row: { seq: number; at: number; type: string; subject: string; record: string }): Link {
  const link = toLink(row);
  const { type, at, session, workspace } = link.fields ?? {};
  const isSame = type === row.type && Math.trunc(Number(at)) === row.at && (session ?? workspace ?? '') === row.subject;
  return { ...link, fits: link.fits && isSame };
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
