import type { BlobRef, Command, Event, EventBody, HostEvent, HostEventBody, Live } from '../../protocol/index.ts';
import type { State } from '../state/state.ts';

/** Proof of holding a session: appends with an older fence fail. */
export interface Lease {
  readonly session: string;
  readonly fence: number;
  /** Gives the session back. Idempotent. */
  release(): void;
}

/** A fact with its time, before the store gives it its place in the log. */
export type Draft = EventBody & { at: number };

export interface AppendOptions {
  lease: Lease;
  /** Commands that these events answer, consumed in the same transaction. */
  consume?: readonly string[];
}

/**
 * States that were folded from a session's log, kept beside it. Never the truth: one that does not fit its log, or
 * the program that reads it, is as good as none.
 */
export interface StateCache {
  /**
   * The state of a session as far as it is kept, for its caller alone; undefined where there is none of this version,
   * or it does not stand for the beginning of the log.
   *
   * @param version Names the fold that made it.
   */
  read(session: string, version: string): State | undefined;
  /** Seq of the last event in what is kept; 0 when nothing is. */
  seqOf(session: string): number;
  /** Takes the place of what was kept before. Does nothing when the lease or the state is not the newest. */
  write(lease: Lease, kept: { state: State; version: string }): Promise<void>;
}

export interface BlobWriter {
  write(chunk: Uint8Array): void;
  /** Durable when it resolves. */
  finish(): Promise<BlobRef>;
  abort(): void;
}

/** The log, the inbox and the locks. */
export interface Store {
  /**
   * Appends in one durable transaction and returns the events with their places. Emits to subscribers
   * only afterwards. An empty list of drafts still consumes.
   *
   * @throws KlausError `store.busy` when the fence is old, `store.full`, `store.corrupt`.
   */
  append(session: string, drafts: readonly Draft[], options: AppendOptions): Promise<Event[]>;
  /**
   * Appends one fact to the host chain, which stands beside those of the sessions: exports, changes of the
   * configuration. Durable when it resolves. What a session's own events say is taken over by `append` itself.
   *
   * @throws KlausError `store.full`, `store.corrupt`.
   */
  appendHost(body: HostEventBody): Promise<HostEvent>;
  /** Events after `after` (default 0) in order. */
  read(session: string, after?: number): Iterable<Event>;
  /** Puts a command into the inbox. Durable when it resolves; a known id changes nothing. */
  send(session: string, command: Command): Promise<void>;
  /** Commands that nobody consumed, in order of arrival. */
  inbox(session: string): Command[];
  /** Takes the session, or undefined while a live process holds it. */
  claim(session: string): Lease | undefined;
  /** Calls `listener` with every event appended after `after`, by any process, in order. */
  subscribe(session: string, after: number, listener: (event: Event) => void): () => void;
  /** Shows live text to this process's doors. */
  emitLive(live: Live): void;
  onLive(listener: (live: Live) => void): () => void;
  /** False while nobody listens to live text: what is costly to make need not be made. */
  isWatched(): boolean;
  /** Calls `wake` soon after something was sent to the session by any process. */
  onSend(session: string, wake: () => void): () => void;
  writeBlob(): BlobWriter;
  /** Undefined when there is no such blob. */
  readBlob(hash: string): Uint8Array | undefined;
  /** Absent: logs are folded whole. */
  readonly stateCache?: StateCache;
}
