import type { Draft } from '@klaus/core/agent';
import { isReplaced, type Live } from '@klaus/core/protocol';
import { callListener } from '../notify/call-listener.ts';
import type { Listener } from '../notify/listener.ts';
import { LiveBuffer, type RedactText, type WaitingLive } from './live-buffer.ts';
import { fromLivePayload, LIVE_CHANNEL, toPayloads } from './live-payload.ts';
import { LiveRedaction } from './live-redaction.ts';

/** First number of the advisory locks of processes that show in-flight text; the second one is that of the holder. */
export const LIVE_LOCK_CLASS = 0x6b6c76;
/** Milliseconds for which text is collected. */
const COLLECT_MS = 50;
/** Milliseconds between two checks whether another process shows in-flight text, and between attempts to listen. */
const CHECK_MS = 1_000;

export interface LiveRelayOptions {
  listener: () => Listener;
  /** True: text of other processes reaches the listeners of this one. */
  receives: boolean;
}

/**
 * In-flight text between the processes of one database. Nothing depends on it: text is lost while there is no connection,
 * and when it arrives faster than it can be sent. It is sent only while another process shows in-flight text, which that
 * process announces by an advisory lock.
 */
export class LiveRelay {
  readonly #options: LiveRelayOptions;
  readonly #listeners = new Set<(live: Live) => void>();
  readonly #buffer = new LiveBuffer();
  readonly #redaction = new LiveRedaction();
  /** Whether another process shows in-flight text, and when that was read. */
  #watched = { is: false, at: -Infinity };
  /** When text was sent last. */
  #sentAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isSending = false;
  /** Generation of the connection that receives in-flight text; 0: none does. */
  #receiving = 0;
  #syncing: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: LiveRelayOptions) {
    this.#options = options;
  }

  /** Delivers text to this process at once, and to others soon. Without `redact` it stays in this process. */
  emit(live: Live, redact?: RedactText): void {
    this.#deliver(live);
    if (!redact || this.#isClosed || !this.#mayBeWatched) return;
    this.#buffer.add(live, redact);
    this.#schedule();
  }

  listen(listener: (live: Live) => void): () => void {
    this.#listeners.add(listener);
    this.#sync();
    return () => {
      this.#listeners.delete(listener);
      this.#sync();
    };
  }

  isWatched(): boolean {
    return this.#listeners.size > 0 || this.#mayBeWatched;
  }

  /** Call it before an append: text that the events replace is not sent after them. */
  appending(session: string, drafts: readonly Draft[]): void {
    for (const draft of drafts) {
      this.#buffer.drop(session, (piece) => isReplaced(piece, draft));
      this.#redaction.forget(session, (piece) => isReplaced(piece, draft));
    }
  }

  /** Call it with each payload of the channel. */
  received(payload: string): void {
    const found = fromLivePayload(payload);
    if (found && found.holder !== this.#options.listener().holder) this.#deliver(found.live);
  }

  /** Call it with each new connection. */
  reconnected(): void {
    this.#watched.at = -Infinity;
    this.#sync();
  }

  close(): void {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#buffer.take();
    clearTimeout(this.#timer);
    clearTimeout(this.#retry);
  }

  #deliver(live: Live): void {
    for (const listener of this.#listeners) callListener(() => listener(live));
  }

  /** While it is not known, text is collected: the answer is there before it is sent. */
  get #mayBeWatched(): boolean {
    return this.#watched.is || performance.now() - this.#watched.at > CHECK_MS;
  }

  #schedule(): void {
    if (this.#timer || this.#isSending || this.#isClosed || this.#buffer.isEmpty) return;
    const wait = Math.max(0, this.#sentAt + COLLECT_MS - performance.now());
    this.#timer = setTimeout(() => void this.#send(), wait).unref();
  }

  async #send(): Promise<void> {
    this.#timer = undefined;
    this.#isSending = true;
    this.#sentAt = performance.now();
    try {
      await this.#check();
      const waiting = this.#buffer.take();
      const payloads = this.#watched.is ? waiting.flatMap((session) => this.#toPayloads(session)) : [];
      if (payloads.length > 0) {
        const text = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload';
        await this.#options.listener().use((sql) => sql.all(text, [LIVE_CHANNEL, payloads]));
      }
    } catch {
      // The connection is lost, or Postgres is too slow: the text is dropped.
      this.#watched = { is: false, at: performance.now() };
      this.#buffer.take();
    }
    this.#isSending = false;
    this.#schedule();
  }

  async #check(): Promise<void> {
    if (performance.now() - this.#watched.at <= CHECK_MS) return;
    const listener = this.#options.listener();
    const row = await listener.use((sql) => sql.get<{ is: boolean }>(IS_WATCHED, [LIVE_LOCK_CLASS, listener.holder]));
    this.#watched = { is: row?.is === true, at: performance.now() };
  }

  #toPayloads({ session, pieces, redact }: WaitingLive): string[] {
    const { holder } = this.#options.listener();
    return pieces.flatMap((piece) => {
      if (piece.type !== 'message.discarded') {
        const clean = this.#redaction.add(piece, redact);
        return clean ? toPayloads(holder, clean) : [];
      }
      this.#redaction.forget(session, (text) => text.type === 'message.delta' && text.message === piece.message);
      return toPayloads(holder, piece);
    });
  }

  /** Starts or stops to receive, as there are listeners. */
  #sync(): void {
    if (!this.#options.receives) return;
    this.#syncing = this.#syncing.then(async () => {
      if (this.#isClosed) return;
      const listener = this.#options.listener();
      try {
        await listener.use(async (sql) => {
          const { generation, holder } = listener;
          const wants = this.#listeners.size > 0;
          if (wants === (this.#receiving === generation)) return;
          const lock = wants ? 'pg_advisory_lock_shared' : 'pg_advisory_unlock_shared';
          await sql.script(`${wants ? 'LISTEN' : 'UNLISTEN'} ${LIVE_CHANNEL}`);
          await sql.all(`SELECT ${lock}($1, $2)`, [LIVE_LOCK_CLASS, holder]);
          this.#receiving = wants ? generation : 0;
        });
      } catch {
        this.#retry ??= setTimeout(() => {
          this.#retry = undefined;
          this.#sync();
        }, CHECK_MS).unref();
      }
    });
  }
}

const IS_WATCHED = `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid = $1 AND objid <> $2) AS "is"`;
