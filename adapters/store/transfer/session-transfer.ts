import type { AuditReport } from '@klaus/core/agent';
import type { KnownHashes } from '../shared/session-records.ts';
import type { ChainHead } from '../sqlite/log/record.ts';
import type { SessionMove } from './session-move.ts';

/** A session as a list for a transfer shows it. */
export interface TransferredSession {
  id: string;
  /** The session that started it; null for one that the user opened, and for a fork. */
  parent: string | null;
  /** Absolute path. */
  workspace: string;
}

export interface StoredRecord {
  seq: number;
  type: string;
  /** The exact text that the next record's `prev` is the hash of. */
  record: string;
}

/** A row of the inbox. */
export interface StoredCommand {
  id: string;
  /** JSON; null once it is consumed. */
  command: string | null;
  /** ISO 8601. */
  receivedAt: string;
  /** Last seq of the session when it was consumed; null while it waits. */
  consumedSeq: number | null;
}

/** What a store has of a session in addition to its records and what is derived from them, in one state of the store. */
export interface SessionRest {
  head: ChainHead;
  /** In order of arrival. */
  commands: readonly StoredCommand[];
  /** Hashes of the blobs to which the session refers. */
  blobs: readonly string[];
  /** Ids of its approvals that are valid for every session of the workspace, without those that the user revoked. */
  remembered: readonly string[];
  /** How far the user has seen it, with Unix milliseconds. */
  seen: { seq: number; at: number } | null;
}

/** A note of the memory. */
export interface StoredNote {
  /** Empty for all workspaces. */
  workspace: string;
  key: string;
  value: string;
  category: string;
  session: string | null;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. */
  updatedAt: string;
}

/** A session that arrives from another store. */
export interface Arrival {
  session: string;
  rest: SessionRest;
  /** The end of the session's chain here, after which the records follow. */
  base: ChainHead;
  /** The records from `base` to the head of `rest`, in order and verified. */
  records: AsyncIterable<readonly StoredRecord[]>;
  /** `arriving` until {@link SessionTransfer.arrived}, or `copy`, with the place from which it comes. */
  move: SessionMove;
  /** The end of the host chain there. */
  host: ChainHead;
  /** A door. */
  by: string;
}

/**
 * Copies and moves sessions between stores. A session that moves never runs at both places: the source refuses its claims
 * and commands before the target has it, and the target does so until all of it has arrived.
 */
export interface SessionTransfer {
  /** All sessions with a record. */
  list(): Promise<TransferredSession[]>;
  /** Undefined for a session without a record. */
  read(session: string): Promise<SessionRest | undefined>;
  /** Stored records after `after` up to `until`, in pages. @throws KlausError `store.corrupt` for a gap. */
  records(session: string, range: { after: number; until: number }): AsyncIterable<readonly StoredRecord[]>;
  /** Hash of a record; undefined without it. */
  hashOf(session: string, seq: number): Promise<string | undefined>;
  /** Undefined for a session that runs here. */
  moveOf(session: string): Promise<SessionMove | undefined>;
  /** The verified host chain with what it knows about the sessions. */
  hostChain(): Promise<{ report: AuditReport['host']; knownHashes: ReadonlyMap<string, KnownHashes>; head: ChainHead }>;
  /**
   * Refuses claims and commands of sessions that move to a place, from now on: all of them, or none if a live process
   * holds one. @returns Those that are held.
   */
  leave(sessions: readonly string[], place: string): Promise<string[]>;
  /** Ends a move that failed: the sessions run here again. */
  stay(sessions: readonly string[]): Promise<void>;
  /** Completes a move: the sessions run at the place, and their waiting commands are there. Idempotent. */
  left(sessions: readonly string[], move: { place: string; by: string }): Promise<void>;
  /**
   * Stores a session in one transaction, with its projections and a record of the host chain.
   *
   * @throws KlausError `store.busy` when the session does not end at `base`, or a live process holds it.
   */
  store(arrival: Arrival): Promise<void>;
  /** Completes a move: the sessions run here from now on. Idempotent. */
  arrived(sessions: readonly string[]): Promise<void>;
  /** Notes of some workspaces. Default: all, also those of every workspace. */
  notes(workspaces?: readonly string[]): Promise<StoredNote[]>;
  /** Stores notes that are newer than those here. @returns How many were. */
  storeNotes(notes: readonly StoredNote[]): Promise<number>;
}
