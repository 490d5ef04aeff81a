import { describe } from 'vitest';
import { describeEnds, describeRuns } from './runs.ts';
import type { CreateSchedulerHarness } from './scheduler-harness.ts';
import { describeTimers } from './timers.ts';
import { describeWorkers } from './workers.ts';

export interface SuiteOptions {
  /** Milliseconds that one test may take. Default: that of vitest. */
  timeoutMs?: number;
  /** Milliseconds in which the scheduler can certainly start a worker and answer some calls. Default 400. */
  soonMs?: number;
}

/** Tests that every implementation of `RunScheduler` must pass. Call it once in a test file of the implementation. */
export function describeScheduler(name: string, create: CreateSchedulerHarness, options: SuiteOptions = {}): void {
  const { timeoutMs, soonMs = 400 } = options;
  const timeout = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  describe(`${name}: runs`, timeout, () => {
    describeRuns(create);
    describeEnds(create);
  });
  describe(`${name}: timers`, timeout, () => {
    describeTimers(create, soonMs);
  });
  describe(`${name}: workers`, timeout, () => {
    describeWorkers(create);
  });
}
