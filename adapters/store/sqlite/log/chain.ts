import type { ChainReport } from '@klaus/core/agent';
import { FIRST_PREV, type HostEvent } from '@klaus/core/protocol';
import { collectKnownHashes, isRecordedType, type KnownHashes } from './session-records.ts';
import type { Database } from '../database.ts';
import { readHostHead } from './host-chain.ts';
import { readHead } from './log.ts';
import { toHash, toObject } from './record.ts';

/** What walking the host chain found, with what it says of the sessions as far as it is whole. */
export interface HostChainReport {
  report: ChainReport;
  knownHashes: ReadonlyMap<string, KnownHashes>;
  /** Seq and hash of the last record, to be kept elsewhere: a later chain that lacks it was rewritten. */
  head: { seq: number; hash: string };
}

interface Link {
  /** Where the record stands. */
  row: number;
  hash: string;
  seq: unknown;
  prev: unknown;
  /** False when the columns beside the record say something else than the record. */
  fits: boolean;
  /** False for a record of another session. */
  isOwn: boolean;
  /** Undefined for a text that is no JSON object. */
  fields: Record<string, unknown> | undefined;
}

interface Head {
  seq: number;
  hash: string;
}

/**
 * Walks a session's chain from its first record: each names the hash of the one before it, the head names
 * the last, and what the host chain says of some of them must hold too: who cuts off the end and mends the
 * head, or writes everything from one record on anew, is found by that.
 *
 * @param anchors What the host chain says of this session. Default: nothing.
 * @returns `unanchored`: seq of a record that the host chain should know of and does not.
 */
export function verifyChain(
  database: Database,
  session: string,
  anchors: KnownHashes = new Map(),
): { report: ChainReport; unanchored?: number } {
  const head = readHead(database, session) ?? { seq: 0, hash: FIRST_PREV };
  const seen: KnownHashes = new Map();
  let lastAnchoring = 0;
  const report = walk(readLinks(database, session), head, (link, seq) => {
    if (anchors.has(seq)) seen.set(seq, link.hash);
    if (isRecordedType(link.fields?.['type'])) lastAnchoring = seq;
  });
  const checked = compareKnownHashes(report, anchors, seen);
  const isKnown = lastAnchoring === 0 || [...anchors.keys()].some((seq) => seq >= lastAnchoring);
  return { report: checked, ...(checked.intact && !isKnown && { unanchored: lastAnchoring }) };
}

/** Walks the host chain. */
export function verifyHostChain(database: Database): HostChainReport {
  const head = readHostHead(database);
  const knownHashes = new Map<string, KnownHashes>();
  const events: HostEvent[] = [];
  const report = walk(readHostLinks(database), head, (link) => void events.push(link.fields as HostEvent));
  for (const event of events.slice(0, report.records)) collectKnownHashes(knownHashes, event);
  return { report, knownHashes, head };
}

/** @param take Called with every record up to the first bad one, in order, and perhaps with that. */
function walk(
  links: Generator<Link, void, undefined>,
  head: Head,
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
      // Either this record's link is wrong or the one before it is not what it was. When the record after
      // this one confirms this one, it is the one before.
      return toReport('altered', next === link.hash && seq > 1 ? seq - 1 : seq);
    }
    if (!link.fits || (current.done && seq === head.seq && link.hash !== head.hash)) return toReport('altered', seq);
    take(link, seq);
    expected = link.hash;
  }
  return current.done ? { intact: true, records: head.seq } : toReport('altered', head.seq + 1);
}

/** The first thing that is wrong, by the chain itself or by what the host chain says. */
function compareKnownHashes(report: ChainReport, anchors: KnownHashes, seen: KnownHashes): ChainReport {
  let good = 0;
  for (const [seq, hash] of [...anchors].toSorted(([a], [b]) => a - b)) {
    if (seq > report.records) {
      if (!report.intact) return report;
      const message = `Record ${report.records + 1} is missing: the host chain knows of ${seq}.`;
      return { intact: false, records: report.records, seq: report.records + 1, problem: 'dropped', message };
    }
    if (seen.get(seq) !== hash) {
      const from = good + 1;
      const which = from === seq ? `Record ${seq}` : `One of the records ${from} to ${seq}`;
      const message = `${which} was altered, and what follows was written anew: the host chain holds another hash.`;
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
  const sql = 'SELECT seq, type, record FROM events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT 128';
  for (let last = -1; ;) {
    const rows = database.all<{ seq: number; type: string; record: string }>(sql, session, last);
    for (const row of rows) {
      const link = toLink(row);
      yield {
        ...link,
        fits: link.fits && link.fields?.['type'] === row.type,
        isOwn: link.fields?.['session'] === session,
      };
      last = row.seq;
    }
    if (rows.length === 0) return;
  }
}

function* readHostLinks(database: Database): Generator<Link, void, undefined> {
  const sql = 'SELECT seq, at, type, subject, record FROM host_events WHERE seq > ? ORDER BY seq LIMIT 128';
  for (let last = -1; ;) {
    const rows = database.all<{ seq: number; at: number; type: string; subject: string; record: string }>(sql, last);
    for (const row of rows) {
      const link = toLink(row);
      const { type, at, session, workspace } = link.fields ?? {};
      const isSame =
        type === row.type && Math.trunc(Number(at)) === row.at && (session ?? workspace ?? '') === row.subject;
      yield { ...link, fits: link.fits && isSame };
      last = row.seq;
    }
    if (rows.length === 0) return;
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
