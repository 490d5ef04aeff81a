import type { Advance, ModelFailureCode } from '@klaus/sdk';
import { EXIT, type ExitCode, outcomeToExitCode } from '../program/exit-codes.ts';

/**
 * How driving a session ended. `busy`: another live process holds it. `stopped` says that this process asked
 * it to stop, and why.
 */
export type RunResult = Advance & {
  stopped: 'interrupt' | 'timeout' | undefined;
  /** What the last request to the model failed with; undefined when it did not. */
  failure: ModelFailureCode | undefined;
  exitCode: ExitCode;
};

/** The exit code for how driving a session ended. */
export function toExit(
  result: Advance,
  stopped: RunResult['stopped'],
  failure: ModelFailureCode | undefined,
): ExitCode {
  if (result.state === 'busy') return EXIT.busy;
  const finished = result.state === 'idle' ? result.finished : undefined;
  // Work that was done before the wish to stop arrived is done.
  if (finished !== undefined && finished.outcome !== 'cancelled') return outcomeToExitCode(finished.outcome, failure);
  if (stopped === 'timeout') return EXIT.busy;
  if (stopped === 'interrupt') return EXIT.interrupted;
  if (finished !== undefined) return outcomeToExitCode(finished.outcome);
  // Nothing was done here, and 0 means that something was.
  return result.state === 'parked' ? EXIT.waiting : EXIT.failed;
}
