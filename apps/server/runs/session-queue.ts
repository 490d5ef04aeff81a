import type { Event } from '@klaus/sdk';

/** The sessions that run, or wait to run: in this process, or on the workers of a cluster. */
export interface SessionQueue {
  /** Sessions that this process runs at the same time. */
  readonly limit: number;
  /** True if waiting sessions can be moved. */
  readonly canMove: boolean;
  /** Adds the sessions of an earlier server. Returns their ids. */
  resumeEarlier(): Promise<string[]>;
  /** Runs a session as soon as a slot is free, until nothing is left to do. A child is run by the session above it. */
  add(session: string): Promise<void>;
  /** Runs a session immediately, regardless of the limit: for cheap work, such as a cancel request. */
  addNow(session: string): Promise<void>;
  /** Forgets a session, before it is deleted. */
  remove(session: string): Promise<void>;
  /** True after `stop`. Runs that are paused then resume with the next server. */
  readonly isStopping: boolean;
  /** True while this process runs the session. */
  isRunning(session: string): boolean;
  /** True while a process works on the session, this one or another one. */
  isHeld(session: string): boolean;
  /** True while a session runs here, is queued, or waits for the process that holds it. */
  readonly isBusy: boolean;
  /** From 1; undefined for a session that is not queued, or whose position is not known. */
  positionOf(session: string): number | undefined;
  /** Moves a waiting session to another position, from 1. Does nothing for others. @throws KlausError `usage` unless `canMove`. */
  move(session: string, position: number): void;
  /** The error that prevents the session from running here; undefined without one. */
  problemOf(session: string): unknown;
  /** The sessions that cannot run here. */
  readonly blocked: string[];
  /** @returns `since` in Unix milliseconds. */
  readonly running: { session: string; since: number }[];
  /** @returns `since` in Unix milliseconds. */
  readonly queued: { session: string; since: number }[];
  /** Calls the listener when the position or state of a session changed. */
  onChange(listener: (session: string) => void): () => void;
  /** Calls the listener with every event of the sessions that run here. */
  onEvent(listener: (event: Event) => void): void;
  /**
   * Starts no further run, waits for the current step of each run, and aborts the steps after the time-out. The next
   * server resumes the runs. Idempotent.
   */
  stop(timeoutMs: number): Promise<void>;
}
