/**
 * What the workflow of a session and its users agree on: names and shapes of the data in histories. Histories of running
 * sessions contain them, so that nothing here may be renamed or removed.
 */

/** Name of the workflow. */
export const WORKFLOW = 'runSession';
/** Signal without input: run soon. */
export const WAKE = 'wake';
/** Signal with a time in Unix milliseconds: run then, or earlier. */
export const AT = 'at';
/** Query for the {@link Plan}. */
export const PLAN = 'plan';

/** Milliseconds without a heartbeat after which the engine takes a run from its worker. */
export const HEARTBEAT_TIMEOUT_MS = 2_000;

/** What the workflow plans to do next. */
export interface Plan {
  state: 'queued' | 'running' | 'waiting';
  /** Unix milliseconds since when. */
  since: number;
  /** Unix milliseconds of the earliest timer. */
  until?: number;
}

/** What a workflow passes to the one that continues it. */
export interface Carried {
  /** The last attempt token of the session. */
  last: number;
  /** Unix milliseconds of the earliest timer. */
  until?: number;
  woken: boolean;
}

/** The result of an attempt. `failed` contains the code of the error; its message stays on the worker. */
export type AttemptResult =
  | { state: 'idle' | 'held' | 'paused' }
  | { state: 'waiting'; until?: number }
  | { state: 'failed'; code: string };

/**
 * The activity.
 *
 * @param token The attempt token of the first try. A retry by the engine adds its number to it.
 */
export type Advance = (session: string, token: number) => Promise<AttemptResult>;
