import type { RunScheduler } from '@klaus/core/agent';

/** A new scheduler without sessions for one test. Disposing it ends what it started. */
export interface SchedulerHarness extends AsyncDisposable {
  /** Connects to the scheduler. A later call after the worker of an earlier one stopped behaves like the next process. */
  open(): Promise<RunScheduler>;
}

export type CreateSchedulerHarness = () => Promise<SchedulerHarness>;
