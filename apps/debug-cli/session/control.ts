import type { Findings } from 'klendathu/contract';
import type { CliFailure } from '../program/cli-failure.ts';

/** What the tools of a session have found out, and how the session ends. */
export interface Control {
  /** The accepted input of `report`. */
  findings?: Findings;
  /** True after the program accepted the input of `set_result`. */
  isAccepted: boolean;
  /** Why there is no result. The first one counts. */
  failure?: CliFailure;
  /** Aborted: the session ends after its present step. */
  readonly pause: AbortSignal;
  /** Ends the session after the present step. */
  finish(): void;
  fail(failure: CliFailure): void;
}

export function createControl(): Control {
  const pause = new AbortController();
  const control: Control = {
    isAccepted: false,
    pause: pause.signal,
    finish: () => pause.abort(),
    fail(failure) {
      // A result that exists is not lost by a failure after it.
      if (control.findings === undefined && !control.isAccepted) control.failure ??= failure;
      pause.abort();
    },
  };
  return control;
}
