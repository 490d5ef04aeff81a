/** The only source of time in core. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `tick` every `ms` until the returned function is called. Does not keep the process alive. */
  every(ms: number, tick: () => void): () => void;
}
