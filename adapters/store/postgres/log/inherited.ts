import { toObject } from '../../sqlite/log/record.ts';
import type { Sql } from '../database.ts';

/** Seq of the last event that each session inherited; 0 for one that is not a fork. The first record never changes. */
export interface Inherited {
  of(sql: Sql, session: string): Promise<number>;
}

/** Sessions of which it is remembered. */
const MAX = 10_000;

export function createInherited(): Inherited {
  const known = new Map<string, number>();
  return {
    async of(sql, session) {
      const found = known.get(session);
      if (found !== undefined) return found;
      const row = await sql.get<{ record: string }>('SELECT record FROM events WHERE session_id = $1 AND seq = 1', [
        session,
      ]);
      // Without its first record the answer is not known yet.
      if (!row) return 0;
      const forked = toObject(row.record)?.['forked'] as { seq?: number } | undefined;
      const seq = forked?.seq ?? 0;
      if (known.size >= MAX) known.clear();
      known.set(session, seq);
      return seq;
    },
  };
}
