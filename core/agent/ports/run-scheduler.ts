/** Why a session is woken. Only for display and priority: a run finds out itself what there is to do. */
export type WakeReason =
  /** A command is in the inbox. */
  | 'command'
  /** The user wants the run to end. It runs at once, beyond the limit of slots where the scheduler can do so. */
  | 'cancel'
  /** Its timer has passed. */
  | 'timer'
  /** The run of another process ended. */
  | 'released'
  /** A repair found that an earlier call was lost. */
  | 'sweep';

/** What a run left behind. */
export type RunOutcome =
  /** Nothing is left to do. */
  | { state: 'idle' }
  /** The session waits for a wake, at the latest until a time in Unix milliseconds. */
  | { state: 'waiting'; until?: number }
  /** Another process holds the session: run it again soon. */
  | { state: 'held' }
  /** The run stopped because of `pause` or `signal`: run it again on another worker. */
  | { state: 'paused' };

/** One attempt to run a session. */
export interface RunAttempt {
  session: string;
  /**
   * Grows with every attempt of this session on any worker. A store of several machines refuses a claim with an older
   * number than the last.
   */
  attempt: number;
  /** Aborted when the run must end now: the session is cancelled, or another attempt has begun. */
  signal: AbortSignal;
  /** Aborted when the worker drains: the run ends after its current step. */
  pause: AbortSignal;
}

/** Runs a session until nothing is left to do. An error counts as a failed attempt. */
export type RunSession = (attempt: RunAttempt) => Promise<RunOutcome>;

export interface RunStatus {
  /** `waiting`: for a wake, or until `until`. `idle`: the scheduler knows nothing of the session. */
  state: 'idle' | 'queued' | 'running' | 'waiting';
  /** Unix milliseconds since when the session is in this state, where the scheduler knows it. */
  since?: number;
  /** Unix milliseconds of the earliest timer. */
  until?: number;
}

/** Runs sessions in this process. */
export interface RunWorker {
  /** Starts no run, waits for the current step of each, and aborts after the time-out. Idempotent. */
  stop(timeoutMs: number): Promise<void>;
}

/**
 * Decides when and where sessions run. It decides liveness only: a session that is woken twice, or runs in two places,
 * is safe because of the store's lease. No call is the truth: a lost one is repaired by a sweep over the inboxes.
 * Every call is idempotent, and returns before the run.
 */
export interface RunScheduler {
  /** Runs the session soon. A session that runs is run again after it. */
  wake(session: string, why: WakeReason): Promise<void>;
  /**
   * Wakes the session at a time in Unix milliseconds, or earlier. The earliest time counts. A run that begins before it
   * replaces it by the time that it returns.
   */
  at(session: string, time: number): Promise<void>;
  /** Forgets the session with its timer, and aborts its run. */
  cancel(session: string): Promise<void>;
  status(session: string): Promise<RunStatus>;
  /** Begins to run sessions in this process, at most `slots` at the same time. */
  work(run: RunSession, options: { slots: number }): RunWorker;
}
