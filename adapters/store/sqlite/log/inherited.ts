import type { Event } from '@klaus/core/protocol';
import { isCopied } from '../../shared/inherited.ts';
import type { Database } from '../database.ts';

/** True for an event that a fork copied from its original, which has been charged and recorded there. */
export function isInherited(database: Database, event: Event): boolean {
  return isCopied(event, inheritedOf(database, event.session));
}

/** Cache of the last inherited seq of each session; the first record of a log never changes. */
const known = new WeakMap<Database, Map<string, number>>();

/** Seq of the last event that a session inherited; 0 for one that is not a fork. */
export function inheritedOf(database: Database, session: string): number {
  let bySession = known.get(database);
  if (!bySession) known.set(database, (bySession = new Map()));
  const found = bySession.get(session);
  if (found !== undefined) return found;
  const row = database.get<{ seq: number | null }>(
    "SELECT json_extract(record, '$.forked.seq') AS seq FROM events WHERE session_id = ? AND seq = 1",
    session,
  );
  // Without its first record the answer is not known yet.
  if (row) bySession.set(session, row.seq ?? 0);
  return row?.seq ?? 0;
}
