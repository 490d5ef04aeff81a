import type { Event } from '@klaus/core/protocol';
import { fromRecord } from '../../sqlite/log/record.ts';
import type { Sql } from '../database.ts';

/** Seq of the last inherited event by session. The first record of a log never changes. */
export type InheritedCache = Map<string, number>;

/** Sessions in the cache. */
const MAX_CACHED = 10_000;

/**
 * Seq of the last event that a session inherited; 0 for one that is not a fork.
 *
 * @param events Events of the session that are not stored yet, or its stored ones from the first on.
 */
export async function readInherited(
  sql: Sql,
  { session, events, cache }: { session: string; events: readonly Event[]; cache?: InheritedCache },
): Promise<number> {
  const [first] = events;
  // This transaction may be undone, so it is not cached.
  if (first?.seq === 1) return toInherited(first);
  const known = cache?.get(session);
  if (known !== undefined) return known;
  // The row shows without the record, which contains the complete system prompt, whether it is a fork.
  const row = await sql.get<{ record: string | null }>(
    `SELECT (SELECT record FROM events WHERE session_id = sessions.id AND seq = 1 AND forked_from IS NOT NULL) AS record
      FROM sessions WHERE id = $1`,
    [session],
  );
  const place = { file: 'The database', place: `record 1 of session ${session}` };
  const inherited = row?.record == null ? 0 : toInherited(fromRecord(row.record, place));
  if (row && cache) {
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(session, inherited);
  }
  return inherited;
}

function toInherited(first: Event): number {
  return first.type === 'session.opened' ? (first.forked?.seq ?? 0) : 0;
}
