import type { Sql } from '../database.ts';
import { CHANNEL, toPayload } from './change.ts';

/** Milliseconds for which changes are collected after a notification. */
const COLLECT_MS = 50;
/** Milliseconds after which changes are sent again that could not be sent. */
const RETRY_MS = 250;

/**
 * Notifies the other processes of appended events, after their commit: the first change at once, those that follow it
 * soon together. Postgres commits transactions with notifications one after the other, so appends do not contain them.
 *
 * A process that ends between a commit and its notification still has the claim of the session. Therefore `flush` comes
 * before a release, and who claims after a holder that did not release announces the session.
 */
export class Announcer {
  readonly #sql: Pick<Sql, 'all'>;
  readonly #holder: () => number;
  /** The last seq of each session that is not announced yet. */
  #waiting = new Map<string, number>();
  #sentAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(sql: Pick<Sql, 'all'>, holder: () => number) {
    this.#sql = sql;
    this.#holder = holder;
  }

  /** @param seq Of the last event, which may turn out not to be stored. */
  add(session: string, seq: number): void {
    this.#keep(session, seq);
    if (!this.#sending) this.#schedule(Math.max(0, this.#sentAt + COLLECT_MS - performance.now()));
  }

  /** Resolves when everything that was added before was sent. @throws KlausError `store.busy`; it is then sent later. */
  async flush(): Promise<void> {
    await this.#sending;
    await this.#send();
  }

  /** Sends what waits, if it can be sent. */
  async close(): Promise<void> {
    await this.flush().catch(() => {});
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #schedule(wait: number): void {
    // An error is a lost connection: the changes are sent again.
    this.#timer ??= setTimeout(() => void this.#send().catch(() => {}), wait).unref();
  }

  async #send(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.size > 0) this.#sending ??= this.#sendWaiting();
    await this.#sending;
  }

  async #sendWaiting(): Promise<void> {
    const sent = this.#waiting;
    this.#waiting = new Map();
    const holder = this.#holder();
    const payloads = [...sent].map(([session, seq]) => toPayload({ kind: 'events', holder, session, seq }));
    let wait = COLLECT_MS;
    try {
      await this.#sql.all(NOTIFY, [payloads]);
      this.#sentAt = performance.now();
    } catch (error) {
      for (const [session, seq] of sent) this.#keep(session, seq);
      wait = RETRY_MS;
      throw error;
    } finally {
      this.#sending = undefined;
      if (this.#waiting.size > 0) this.#schedule(wait);
    }
  }

  #keep(session: string, seq: number): void {
    this.#waiting.set(session, Math.max(seq, this.#waiting.get(session) ?? 0));
  }
}

/** Nothing is lost with it, so that its commit does not wait for the disk. */
const NOTIFY = `SELECT pg_notify('${CHANNEL}', payload)
  FROM set_config('synchronous_commit', 'off', true), unnest($1::text[]) AS payload`;
