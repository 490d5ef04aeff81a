import type { Delivery, Outbox, SessionRow } from '@klaus/core/agent';
import type { Event } from '@klaus/core/protocol';
import type { Database, Sql } from '../database.ts';
import { HOLDER_LOCK_CLASS } from '../leases/holder-lock.ts';
import type { Listener } from '../notify/listener.ts';

/** Number of the advisory lock of the process that delivers; the numbers of holders begin with 1. */
const DELIVERY = 0;

export interface OutboxParts {
  database: Database;
  listener: () => Listener;
  readRow: (sql: Sql, session: string) => Promise<SessionRow | undefined>;
}

/** An outbox with what the store does at each append, in its transaction. */
export function createOutbox({ database, listener, readRow }: OutboxParts): Outbox & {
  /** False while nothing collects notifications: `take` does nothing then. */
  isCollecting(): boolean;
  take(sql: Sql, events: readonly Event[], now: number): Promise<void>;
} {
  let toBody: Parameters<Outbox['collect']>[0] | undefined;
  let isDelivering = false;
  const lock = async (): Promise<boolean> => {
    const row = await listener().use((sql) =>
      sql.get<{ got: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS got', [HOLDER_LOCK_CLASS, DELIVERY]),
    );
    return row?.got === true;
  };
  return {
    collect: (given) => void (toBody = given),
    isCollecting: () => toBody !== undefined,
    async take(sql, events, now) {
      if (!toBody) return;
      const rows = new Map<string, SessionRow | undefined>();
      for (const id of new Set(events.map(({ session }) => session))) rows.set(id, await readRow(sql, id));
      const made: { session: string; seq: number; body: string }[] = [];
      for (const event of events) {
        const body = toBody(event, () => rows.get(event.session));
        if (body !== undefined) made.push({ session: event.session, seq: event.seq, body });
      }
      if (made.length === 0) return;
      await sql.run(INSERT, [
        made.map(({ session }) => session),
        made.map(({ seq }) => seq),
        made.map(({ body }) => body),
        Math.trunc(now),
      ]);
    },
    async deliver() {
      if (isDelivering || !(await lock())) return undefined;
      isDelivering = true;
      let { generation } = listener();
      /** After a lost connection another process may deliver: nothing is due here until this one has the lock again. */
      const isMine = async (): Promise<boolean> => {
        if (!isDelivering) return false;
        if (generation === listener().generation) return true;
        if (!(await lock())) return false;
        ({ generation } = listener());
        return true;
      };
      return {
        due: async (now) =>
          (await isMine()) ? database.all<Delivery>(DUE, [Math.min(now, Number.MAX_SAFE_INTEGER)]) : [],
        nextAt: async () => (await database.get<{ at: number | null }>(NEXT))?.at ?? undefined,
        async remove(id) {
          await database.run('DELETE FROM outbox WHERE id = $1', [id]);
        },
        async postpone(id, dueAt) {
          await database.run('UPDATE outbox SET attempts = attempts + 1, due_at = $2 WHERE id = $1', [
            id,
            Math.trunc(dueAt),
          ]);
        },
        async release() {
          if (!isDelivering) return;
          isDelivering = false;
          if (generation !== listener().generation) return;
          await listener().use((sql) => sql.all('SELECT pg_advisory_unlock($1, $2)', [HOLDER_LOCK_CLASS, DELIVERY]));
        },
      };
    },
  };
}

const INSERT = `INSERT INTO outbox (session_id, seq, body, created_at, attempts, due_at)
  SELECT session, seq, body, $4, 0, 0 FROM unnest($1::text[], $2::bigint[], $3::text[]) AS made(session, seq, body)`;
const FIRSTS = 'SELECT min(id) FROM outbox GROUP BY session_id';
const DUE = `SELECT id, session_id AS session, seq, body, created_at AS "createdAt", attempts FROM outbox
  WHERE id IN (${FIRSTS}) AND due_at <= $1 ORDER BY id`;
const NEXT = `SELECT min(due_at) AS at FROM outbox WHERE id IN (${FIRSTS})`;
