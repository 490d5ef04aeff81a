/** Milliseconds, at most, for what comes after the steps of runs: ending a command that does not listen, and closing. */
const CLOSING_MS = 2_000;
/** Milliseconds, at most, in which a process that was told to exit is gone, on a busy machine too. */
const EXIT_MS = 1_000;

/** How the time-out of a shutdown is shared out, in milliseconds since the signal. */
export interface ShutdownTimes {
  /** Up to here a run may end its present step; what is not done then is cut off. */
  steps: number;
  /** Here the process exits, whatever is not closed yet. */
  exit: number;
}

/** @param timeoutMs In which the process has to be gone. Of a short one a part is left for each. */
export function toShutdownTimes(timeoutMs: number): ShutdownTimes {
  return {
    steps: timeoutMs - Math.min(CLOSING_MS, timeoutMs / 4),
    exit: timeoutMs - Math.min(EXIT_MS, timeoutMs / 8),
  };
}
