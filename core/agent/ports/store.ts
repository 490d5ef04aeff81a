import type { BlobRef, Command, Event, EventBody, HostEvent, HostEventBody, Live } from '../../protocol/index.ts';
import type { State } from '../state/state.ts';

/** The right of one process to append to a session. Appends with an older fence fail. */
export interface Lease {
  readonly session: string;
  readonly fence: number;
  /** Ends the lease after all pending appends. Idempotent. */
  release(): Promise<void>;
}

/** An event with its time, before the store assigns its position in the log. */
export type Draft = EventBody & { at: number };

export interface AppendOptions {
  lease: Lease;
  /** Ids of commands that these events answer; they are consumed in the same transaction. */
  consume?: readonly string[];
}

/** Folded states beside the log, which remains the source of truth: a state that does not match it is ignored. */
export interface StateCache {
  /**
   * The cached state of a session, as a copy that the caller may change. Undefined when no state of this version
   * exists, or when it does not match the beginning of the log.
   *
   * @param version Identifies the fold that made it.
   */
  read(session: string, version: string): Promise<State | undefined>;
  /** Seq of the last event in the cached state; 0 without one. */
  seqOf(session: string): Promise<number>;
  /** Replaces the cached state. Does nothing when the lease or the state is not the newest. */
  write(lease: Lease, cached: { state: State; version: string }): Promise<void>;
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
   * Appends in one durable transaction and returns the events with their positions. Emits to subscribers only after
   * the commit. An empty list of drafts still consumes.
   *
   * @throws KlausError `store.busy` if the fence is old, `store.full`, `store.corrupt`.
   */
  append(session: string, drafts: readonly Draft[], options: AppendOptions): Promise<Event[]>;
  /**
   * Appends one event to the host chain, which is separate from the chains of the sessions: exports, changes of the
   * configuration. Durable when it resolves. `append` itself copies what the host chain records of a session's events.
   *
   * @throws KlausError `store.full`, `store.corrupt`.
   */
  appendHost(body: HostEventBody): Promise<HostEvent>;
  /**
   * Events after `after` (default 0) in order, in batches. Includes events that are appended during the iteration.
   *
   * @throws KlausError `store.corrupt` for a gap or an unreadable record, from the iteration.
   */
  read(session: string, after?: number): AsyncIterable<readonly Event[]>;
  /** Puts a command into the inbox. Durable when it resolves; a known id changes nothing. */
  send(session: string, command: Command): Promise<void>;
  /**
   * Commands that are not consumed yet, in order of arrival.
   *
   * @throws KlausError `store.corrupt` for one that cannot be read, or that a newer version wrote.
   */
  inbox(session: string): Promise<Command[]>;
  /**
   * Acquires the lease, or returns undefined while a live process holds it.
   *
   * @param options.attempt Number of the scheduler's attempt (see `RunAttempt`). A store of several machines gives the
   *   lease to a newer attempt even while the holder of an older one seems alive, and refuses an older attempt than the
   *   last. A store of one machine ignores it.
   */
  claim(session: string, options?: { attempt?: number }): Promise<Lease | undefined>;
  /** Calls `listener` with every event appended after `after`, by any process, in order. */
  subscribe(session: string, after: number, listener: (event: Event) => void): () => void;
  /**
   * Sends in-flight text to the listeners, those of other processes included where the store reaches them.
   *
   * @param redact Redacts secrets in what leaves this process. Without it the text stays in this process.
   */
  emitLive(live: Live, redact?: (text: string) => string): void;
  onLive(listener: (live: Live) => void): () => void;
  /** False while no listener for in-flight text exists: the engine then skips the work of producing it. */
  isWatched(): boolean;
  /** Calls `wake` soon after any process sent something to the session. */
  onSend(session: string, wake: () => void): () => void;
  writeBlob(): BlobWriter;
  /** Undefined when no such blob exists. */
  readBlob(hash: string): Promise<Uint8Array | undefined>;
  /** Absent: logs are folded from their first event. */
  readonly stateCache?: StateCache;
}
