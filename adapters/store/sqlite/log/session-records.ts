import type { Event, HostEvent, HostEventBody } from '@klaus/core/protocol';
import type { Database } from '../database.ts';
import { isInherited } from './inherited.ts';
import { appendHostRecord, type Redact } from './host-chain.ts';
import { readHead } from './log.ts';

/** Session events after which the host chain says where the session's chain ends. A few for each run. */
const RECORDED: ReadonlySet<unknown> = new Set([
  'session.opened',
  'session.closed',
  'run.finished',
  'approval.asked',
  'approval.answered',
  'grant.changed',
  'workspace.restored',
]);

/** A title or a pin is nobody's concern but the user's. */
function isReset(event: Event): boolean {
  return event.type === 'session.changed' && (event.mode ?? event.limits ?? event.model) !== undefined;
}

/** True for a record of a session that the host chain knows of, or of one after it. */
export function isRecordedType(type: unknown): boolean {
  return RECORDED.has(type);
}

/**
 * Tells the host chain what it keeps of the events just written to a session: answers, changes of authority, mode
 * and limits, files put back, and where the chain ends now. Runs in the transaction that appends them.
 */
export function recordInHostChain(
  database: Database,
  options: { session: string; events: readonly Event[]; redact?: Redact | undefined },
): void {
  const { session, events, redact } = options;
  const known = events.filter(
    (event) => (isRecordedType(event.type) || isReset(event)) && !isInherited(database, event),
  );
  const last = known.at(-1);
  if (!last) return;
  const { seq: records, hash: head } = readHead(database, session)!;
  const end = { session, records, head };
  const own = known.flatMap((event) => toBody(event, end) ?? []);
  const bodies: HostEventBody[] = own.length > 0 ? own : [{ type: 'session.anchored', ...end, after: last.type }];
  for (const body of bodies) appendHostRecord(database, { body, at: last.at, redact });
}

type End = { session: string; records: number; head: string };

/** The host event that says more of a session event than where the chain ended. */
function toBody(event: Event, end: End): HostEventBody | undefined {
  switch (event.type) {
    case 'approval.answered': {
      const { approval, answer, by, scope } = event;
      const longer = scope === undefined || scope === 'once' ? {} : { scope };
      return { type: 'approval.answered', ...end, approval, answer, by, ...longer };
    }
    case 'grant.changed':
      return { type: 'grant.changed', ...end, reason: event.reason };
    case 'session.changed': {
      const { mode, limits, model } = event;
      const changed = Object.entries({ mode, limits, model }).filter(([, value]) => value !== undefined);
      return { type: 'session.changed', ...end, ...Object.fromEntries(changed) };
    }
    case 'workspace.restored':
      return { type: 'workspace.restored', ...end, kind: event.kind, files: event.files, by: event.by };
    default:
      return undefined;
  }
}

/** What the host chain says of one session: the hash of some of its records, by their seq. */
export type KnownHashes = Map<number, string>;

/** Takes one host event, in order, into what is known of each session. */
export function collectKnownHashes(anchors: Map<string, KnownHashes>, event: HostEvent): void {
  const add = (session: string, records: number, head: string): void => {
    const known = anchors.get(session) ?? new Map<number, string>();
    anchors.set(session, known.set(records, head));
  };
  if (event.type === 'session.deleted') anchors.delete(event.session);
  else if (event.type === 'database.recovered') {
    // What was lost then is known to be lost: it is not missed again.
    for (const { session, saved, head } of event.sessions) {
      const kept = [...(anchors.get(session) ?? [])].filter(([seq]) => seq <= saved);
      anchors.set(session, new Map(kept));
      if (saved > 0) add(session, saved, head);
    }
  } else if ('records' in event) add(event.session, event.records, event.head);
}
