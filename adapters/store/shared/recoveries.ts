import type { AuditOptions } from '@klaus/core/agent';
import type { HostEvent, HostEventOf } from '@klaus/core/protocol';

type Recovery = HostEventOf<'database.recovered'>;

/** The recoveries that an audit reports: those that left something out, after the noted head. */
export function toReportedRecoveries(recoveries: readonly Recovery[], { session, head }: AuditOptions): Recovery[] {
  return recoveries.filter((event) => event.seq > (head?.seq ?? 0) && hasLoss(event, session));
}

export function isRecovery(event: HostEvent): event is Recovery {
  return event.type === 'database.recovered';
}

/** What is lost of the host chain concerns every session. */
function hasLoss({ sessions, host, unread = [] }: Recovery, session: string | undefined): boolean {
  if (host.lostFrom !== undefined || (session === undefined && unread.length > 0)) return true;
  return sessions.some((row) => row.lostFrom !== undefined && (session ?? row.session) === row.session);
}
