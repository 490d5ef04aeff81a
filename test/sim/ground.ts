import { createPlan, type Plan } from './plan.ts';
import type { Processes } from './process-group.ts';
import type { LifeStores } from './stores/life-stores.ts';
import type { World } from './world.ts';

/** Where lives are simulated, one after the other. */
export interface Ground extends AsyncDisposable {
  /** Simulated milliseconds in a real one, where something outside of the simulation takes real time. */
  readonly pace?: number;
  /** Where the same life must have the same steps and the same events. */
  readonly twin?: Ground;
  /** Stores without data. */
  openLife(): Promise<LifeStores>;
  /** Default: processes that look for work by themselves. */
  createProcesses?(world: World): Processes;
  /** Default: that of one machine. */
  createPlan?(seed: number): Plan;
}

export function planOf(ground: Ground, seed: number): Plan {
  return ground.createPlan?.(seed) ?? createPlan(seed);
}
