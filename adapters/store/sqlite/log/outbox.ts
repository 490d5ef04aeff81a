import type { Event } from '@klaus/core/protocol';
import type { Database } from '../database.ts';
import { lockFile, toLockFile } from '../locks/file-lock.ts';
import type { GroupCommit } from './group-commit.ts';

/** Name of the lock file; no session is called so. */
const LOCK = 'outbox';

/** One message that was not taken yet. */
export interface Delivery {
  id: number;
  session: string;
  /** Of the event that it tells. */
  seq: number;
  body: string;
  /** Unix milliseconds. */
  createdAt: number;
  /** Tries that failed. */
  attempts: number;
}

/** The right to deliver: one process has it at a time, and the kernel takes it back when that ends. */
export interface OutboxDelivery {
  /** The oldest message of each session that may be tried at `now`: those behind it wait for it. */
  due(now: number): Delivery[];
  /** When the next may be tried, in Unix milliseconds; undefined when none waits. */
  nextAt(): number | undefined;
  /** Takes a message out: it was taken, or is given up. Durable when it resolves. */
  remove(id: number): Promise<void>;
  /** Keeps it for a later try. */
  postpone(id: number, dueAt: number): Promise<void>;
  /** Idempotent. */
  release(): void;
}

/** Messages about events, for another program. They outlive the process, and are told in the order of their session. */
export interface Outbox {
  /**
   * From now on every event that this process appends is shown to `toMessage`, and what it returns is written in the
   * same transaction: there is no event without its message, and no message twice. It sees the projections of the event.
   */
  collect(toMessage: (event: Event) => string | undefined): void;
  /** Undefined while another process delivers. */
  deliver(): OutboxDelivery | undefined;
}

export interface OutboxParts {
  home: string;
  database: Database;
  commits: GroupCommit;
}

/** An outbox with what the store does at each append, in its transaction. */
export function createOutbox({ home, database, commits }: OutboxParts): Outbox & {
  take(events: readonly Event[], now: number): void;
} {
  let collected: ((event: Event) => string | undefined) | undefined;
  return {
    collect: (toMessage) => void (collected = toMessage),
    take(events, now) {
      if (!collected) return;
      for (const event of events) {
        const body = collected(event);
        if (body !== undefined) insert(database, { event, body, now });
      }
    },
    deliver() {
      const lock = lockFile(toLockFile(home, LOCK));
      if (!lock) return undefined;
      const write = (sql: string, ...values: (number | string)[]): Promise<void> =>
        commits.run(
          () => void database.run(sql, ...values),
          () => {},
        );
      return {
        due: (now) => database.all<Delivery>(DUE, now),
        nextAt: () => database.get<{ at: number | null }>(NEXT)?.at ?? undefined,
        remove: (id) => write('DELETE FROM outbox WHERE id = ?', id),
        postpone: (id, dueAt) =>
          write('UPDATE outbox SET attempts = attempts + 1, due_at = ? WHERE id = ?', Math.trunc(dueAt), id),
        release: () => lock.release(),
      };
    },
  };
}

const FIRSTS = 'SELECT min(id) FROM outbox GROUP BY session_id';
const DUE = `SELECT id, session_id AS session, seq, body, created_at AS createdAt, attempts FROM outbox
  WHERE id IN (${FIRSTS}) AND due_at <= ? ORDER BY id`;
const NEXT = `SELECT min(due_at) AS at FROM outbox WHERE id IN (${FIRSTS})`;

function insert(database: Database, { event, body, now }: { event: Event; body: string; now: number }): void {
  database.run(
    'INSERT INTO outbox (session_id, seq, body, created_at, attempts, due_at) VALUES (?, ?, ?, ?, 0, 0)',
    event.session,
    event.seq,
    body,
    Math.trunc(now),
  );
}
