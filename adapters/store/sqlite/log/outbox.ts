import type { Delivery, Outbox } from '@klaus/core/agent';
import type { Event } from '@klaus/core/protocol';
import type { Database } from '../database.ts';
import { lockFile, toLockFile } from '../locks/file-lock.ts';
import type { GroupCommit } from './group-commit.ts';
import { findSession } from '../projections/session-row.ts';

/** Name of the lock file; no session is called so. */
const LOCK = 'outbox';

/** An outbox with what the store does at each append, in its transaction. */
export function createOutbox(parts: { home: string; database: Database; commits: GroupCommit }): Outbox & {
  take(events: readonly Event[], now: number): void;
} {
  const { home, database, commits } = parts;
  let toBody: Parameters<Outbox['collect']>[0] | undefined;
  return {
    collect: (given) => void (toBody = given),
    take(events, now) {
      if (!toBody) return;
      for (const event of events) {
        const body = toBody(event, () => findSession(database, event.session));
        if (body !== undefined) database.run(INSERT, event.session, event.seq, body, Math.trunc(now));
      }
    },
    async deliver() {
      const lock = lockFile(toLockFile(home, LOCK));
      if (!lock) return undefined;
      const write = (sql: string, ...values: (number | string)[]): Promise<void> =>
        commits.run(() => void database.run(sql, ...values));
      return {
        due: async (now) => database.all<Delivery>(DUE, now),
        nextAt: async () => database.get<{ at: number | null }>(NEXT)?.at ?? undefined,
        remove: (id) => write('DELETE FROM outbox WHERE id = ?', id),
        postpone: (id, dueAt) =>
          write('UPDATE outbox SET attempts = attempts + 1, due_at = ? WHERE id = ?', Math.trunc(dueAt), id),
        release: async () => lock.release(),
      };
    },
  };
}

const INSERT = `INSERT INTO outbox (session_id, seq, body, created_at, attempts, due_at) VALUES (?, ?, ?, ?, 0, 0)`;
const FIRSTS = 'SELECT min(id) FROM outbox GROUP BY session_id';
const DUE = `SELECT id, session_id AS session, seq, body, created_at AS createdAt, attempts FROM outbox
  WHERE id IN (${FIRSTS}) AND due_at <= ? ORDER BY id`;
const NEXT = `SELECT min(due_at) AS at FROM outbox WHERE id IN (${FIRSTS})`;
