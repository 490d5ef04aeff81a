import type { Scheduler } from './scheduler.ts';

/** Counts how often a task with a label became ready, for planned faults. */
export class LabelWatch {
  readonly #scheduler: Scheduler;
  readonly #counts = new Map<object, number>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** True when such a task is ready for the n-th time. Call it once before each step for each fault. */
  isReached(fault: { label: string; nth: number }): boolean {
    const isThere = this.#scheduler.waiting().some(({ label }) => label.startsWith(fault.label));
    const known = this.#counts.get(fault) ?? 0;
    if (isThere !== (known % 2 === 1)) this.#counts.set(fault, known + 1);
    return isThere && known === fault.nth * 2 - 2;
  }
}
