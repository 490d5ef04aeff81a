import type { Event, HostEvent, HostEventBody } from '@klaus/core/protocol';

/** Session events after which the host chain records the end of the session's chain. A few for each run. */
const RECORDED: ReadonlySet<unknown> = new Set([
  'session.opened',
  'session.closed',
  'run.finished',
  'approval.asked',
  'approval.answered',
  'approval.changed',
  'grant.changed',
  'workspace.restored',
]);

/** True for a change of mode, limits or model. Other changes do not concern the host chain. */
function isRecordedChange(event: Event): boolean {
  return event.type === 'session.changed' && (event.mode ?? event.limits ?? event.model) !== undefined;
}

/** True for a type of record whose hash, or that of a later record, is in the host chain. */
export function isRecordedType(type: unknown): boolean {
  return RECORDED.has(type);
}

/** True for an event that the host chain records, unless a fork inherited it. */
export function isRecorded(event: Event): boolean {
  return isRecordedType(event.type) || isRecordedChange(event);
}

/**
 * What the host chain records of a session's new events: answers, changes of authority, mode and limits, restored files,
 * and the end of the session's chain.
 *
 * @param known The events that it records, at least one.
 */
export function toHostBodies(known: readonly Event[], end: End): HostEventBody[] {
  const own = known.flatMap((event) => toBody(event, end) ?? []);
  return own.length > 0 ? own : [{ type: 'session.anchored', ...end, after: known.at(-1)!.type }];
}

/** The end of a session's chain. */
type End = { session: string; records: number; head: string };

/** The host event for a session event that has one of its own. */
function toBody(event: Event, end: End): HostEventBody | undefined {
  switch (event.type) {
    case 'approval.answered': {
      const { approval, answer, by, scope } = event;
      const longer = scope === undefined || scope === 'once' ? {} : { scope };
      return { type: 'approval.answered', ...end, approval, answer, by, ...longer };
    }
    case 'approval.changed': {
      const { approval, scope, by } = event;
      return { type: 'approval.changed', ...end, approval, scope, by };
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

/** The hashes of some records of one session in the host chain, by seq. */
export type KnownHashes = Map<number, string>;

/** Adds the hashes of one host event, in order, to those of its session. */
export function collectKnownHashes(hashes: Map<string, KnownHashes>, event: HostEvent): void {
  const add = (session: string, records: number, head: string): void => {
    const known = hashes.get(session) ?? new Map<number, string>();
    hashes.set(session, known.set(records, head));
  };
  if (event.type === 'session.deleted') hashes.delete(event.session);
  else if (event.type === 'database.recovered') {
    // Records that the recovery left out are reported with it, not as missing.
    for (const { session, saved, head } of event.sessions) {
      const kept = [...(hashes.get(session) ?? [])].filter(([seq]) => seq <= saved);
      hashes.set(session, new Map(kept));
      if (saved > 0) add(session, saved, head);
    }
  } else if ('records' in event) add(event.session, event.records, event.head);
}
