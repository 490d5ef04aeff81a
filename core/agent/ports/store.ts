import type { BlobRef, Command, Event, EventBody, HostEvent, HostEventBody, Live } from '../../protocol/index.ts';
import type { State } from '../state/state.ts';

/** The right to append to a session. Appends with an older fence fail. */
export interface Lease {
  readonly session: string;
  readonly fence: number;
  /** Releases the session. Idempotent. */
  release(): void;
}

/** An event with its time, before the store assigns its position in the log. */
export type Draft = EventBody & { at: number };

export interface AppendOptions {
  lease: Lease;
  /** Ids of commands that these events answer; they are consumed in the same transaction. */
  consume?: readonly string[];
}

/**
 * Folded states of sessions. The log is authoritative: a cached state that does not match it, or the fold that reads
 * it, is ignored.
 */
export interface StateCache {
  /**
   * The cached state of a session, which the caller may change; undefined if there is none of this version, or if it does
   * not match the beginning of the log.
   *
   * @param version The version of the fold.
   */
  read(session: string, version: string): State | undefined;
  /** Seq of the last event in the cached state; 0 without one. */
  seqOf(session: string): number;
  /** Replaces the cached state. Does nothing if the lease or the state is not the newest. */
  write(lease: Lease, entry: { state: State; version: string }): Promise<void>;
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
   * Appends in one durable transaction and returns the events with their positions. Emits to subscribers after the
   * transaction. An empty list of drafts still consumes commands.
   *
   * @throws KlausError `store.busy` if the fence is old, `store.full`, `store.corrupt`.
   */
  append(session: string, drafts: readonly Draft[], options: AppendOptions): Promise<Event[]>;
  /**
   * Appends one event to the host chain, which is separate from the sessions: exports, changes of the configuration.
   * Durable when it resolves. `append` itself adds the events that sessions contribute to the chain.
   *
   * @throws KlausError `store.full`, `store.corrupt`.
   */
  appendHost(body: HostEventBody): Promise<HostEvent>;
  /** Events after `after` (default 0) in order. */
  read(session: string, after?: number): Iterable<Event>;
  /** Puts a command into the inbox. Durable when it resolves; a known id changes nothing. */
  send(session: string, command: Command): Promise<void>;
  /** Commands that were not consumed, in order of arrival. */
  inbox(session: string): Command[];
  /** Claims the session; undefined while a live process holds it. */
  claim(session: string): Lease | undefined;
  /** Calls `listener` with every event appended after `after`, by any process, in order. */
  subscribe(session: string, after: number, listener: (event: Event) => void): () => void;
  /** Emits live text to listeners in this process. */
  emitLive(live: Live): void;
  onLive(listener: (live: Live) => void): () => void;
  /** False without listeners to live text, so that callers can skip costly text. */
  isWatched(): boolean;
  /** Calls `wake` soon after any process sent a command to the session. */
  onSend(session: string, wake: () => void): () => void;
  writeBlob(): BlobWriter;
  /** Undefined if there is no such blob. */
  readBlob(hash: string): Uint8Array | undefined;
  /** Absent: logs are folded from the beginning. */
  readonly stateCache?: StateCache;
}
