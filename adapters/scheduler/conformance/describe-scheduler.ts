import { describe } from 'vitest';
import { describeEnds, describeRuns } from './runs.ts';
import type { CreateSchedulerHarness } from './scheduler-harness.ts';
import { describeTimers } from './timers.ts';
import { describeWorkers } from './workers.ts';

/** Tests that every implementation of `RunScheduler` must pass. Call it once in a test file of the implementation. */
export function describeScheduler(name: string, create: CreateSchedulerHarness): void {
  describe(`${name}: runs`, () => {
    describeRuns(create);
    describeEnds(create);
  });
  describe(`${name}: timers`, () => {
    describeTimers(create);
  });
  describe(`${name}: workers`, () => {
    describeWorkers(create);
  });
}
