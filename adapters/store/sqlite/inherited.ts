import type { Event } from '@klaus/core/protocol';
import type { Database } from './database.ts';

/** True for an event that a fork took over from its original: there it was spent, allowed and told of. */
export function isInherited(database: Database, event: Event): boolean {
  if (event.type === 'session.opened') return false;
  const row = database.get<{ seq: number | null }>(
    "SELECT json_extract(record, '$.forked.seq') AS seq FROM events WHERE session_id = ? AND seq = 1",
    event.session,
  );
  return row?.seq != null && event.seq <= row.seq;
}
