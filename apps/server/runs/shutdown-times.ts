/** Most milliseconds for closing after the steps of runs have ended, including commands that ignore signals. */
const CLOSING_MS = 2_000;
/** Most milliseconds in which the process exits, also on a busy machine. */
const EXIT_MS = 1_000;

/**
 * The phases of a shutdown, in milliseconds since the signal.
 *
 * @param timeoutMs Until the process must have ended. A short one is divided proportionally.
 */
export function toShutdownTimes(timeoutMs: number) {
  return {
    /** Runs may finish their current step until here; then it is aborted. */
    steps: timeoutMs - Math.min(CLOSING_MS, timeoutMs / 4),
    /** The process exits here, even if something is not closed yet. */
    exit: timeoutMs - Math.min(EXIT_MS, timeoutMs / 8),
  };
}
