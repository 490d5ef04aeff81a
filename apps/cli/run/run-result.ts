import type { Advance, ModelFailureCode } from '@klaus/sdk';
import { EXIT, type ExitCode, outcomeToExitCode } from '../program/exit-codes.ts';

/** How the work on a session ended. `busy`: another live process holds the session. */
export type RunResult = Advance & {
  /** Why this process cancelled the run; undefined if it did not. */
  stopped: 'interrupt' | 'timeout' | undefined;
  /** How the last request to the model failed; undefined if it did not. */
  failure: ModelFailureCode | undefined;
  exitCode: ExitCode;
};

/** The exit code for the end of the work on a session. */
export function toExit(result: Advance, { stopped, failure }: Pick<RunResult, 'stopped' | 'failure'>): ExitCode {
  if (result.state === 'busy') return EXIT.busy;
  const finished = result.state === 'idle' ? result.finished : undefined;
  // A run that ended before the cancellation arrived keeps its outcome.
  if (finished !== undefined && finished.outcome !== 'cancelled') return outcomeToExitCode(finished.outcome, failure);
  if (stopped === 'timeout') return EXIT.busy;
  if (stopped === 'interrupt') return EXIT.interrupted;
  if (finished !== undefined) return outcomeToExitCode(finished.outcome);
  // Nothing ran here, and 0 means success.
  return result.state === 'parked' ? EXIT.waiting : EXIT.failed;
}
