import { investigate } from '../investigate/investigate.ts';
import type { KlendathuError } from '../investigate/klendathu-error.ts';
import type { InvestigateOptions } from '../investigate/options.ts';
import type { Report } from '../investigate/report.ts';
import { printOutcome } from './print-outcome.ts';

export interface HookOptions extends InvestigateOptions {
  /** Default: the report is printed on standard error. */
  onReport?: ((report: Report, error: unknown) => void) | undefined;
  /** Called if there is no report. Default: the reason is printed on standard error. */
  onFailure?: ((failure: KlendathuError, error: unknown) => void) | undefined;
}

/** Investigations of hooks that wait. Later errors are ignored until one has ended. */
const MAX_WAITING = 20;

let last: Promise<void> = Promise.resolve();
let waiting = 0;

/**
 * Investigates an error for a hook, one at a time in this process. The promise never rejects, and resolves at the
 * time-out at the latest.
 */
export function investigateForHook(error: unknown, options: HookOptions): Promise<void> {
  if (waiting >= MAX_WAITING) return Promise.resolve();
  waiting += 1;
  const turn = last.then(() => investigateNow(error, options));
  last = turn.finally(() => {
    waiting -= 1;
  });
  return last;
}

async function investigateNow(error: unknown, { onReport, onFailure, ...options }: HookOptions): Promise<void> {
  try {
    const report = await investigate({ error }, { dedupe: 'fingerprint', ...options });
    if (onReport === undefined) printOutcome(report);
    else onReport(report, error);
  } catch (failure) {
    try {
      if (onFailure === undefined) printOutcome(failure as KlendathuError);
      else onFailure(failure as KlendathuError, error);
    } catch {
      // A listener of the program must not change what happens to its error.
    }
  }
}
