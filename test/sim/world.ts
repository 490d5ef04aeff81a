import { isKlausError, KlausError } from '@klaus/core/protocol';
import type { Cluster } from './cluster/cluster.ts';
import type { Files } from './files.ts';
import type { Holders } from './checks/holders.ts';
import type { Monitor } from './monitor.ts';
import type { Notices } from './notices.ts';
import type { Plan } from './plan.ts';
import type { Scheduler } from './scheduler.ts';
import type { Requests } from './requests.ts';
import type { LifeStores } from './stores/life-stores.ts';

/** The parts of the simulation that survive processes. */
export interface World {
  readonly plan: Plan;
  readonly scheduler: Scheduler;
  readonly files: Files;
  readonly monitor: Monitor;
  readonly requests: Requests;
  readonly faults: Faults;
  readonly stores: LifeStores;
  readonly notices: Notices;
  readonly session: string;
  holders: Holders;
  /** Only in the lives of a cluster. */
  cluster?: Cluster;
}

/** End of the message of every planned error. */
const AS_PLANNED = 'as planned';

/** True for a planned error. Any other error that ends a process is a bug. */
export function isPlanned(error: unknown): boolean {
  return isKlausError(error) && error.message.endsWith(AS_PLANNED);
}

/** Counts operations that can fail, and lets them fail as planned. */
export class Faults {
  isOver = false;
  #writes = 0;
  #commands = 0;
  #snapshots = 0;
  readonly #plan: Plan;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  /** Before every write to the store. */
  checkStore(): void {
    const nth = ++this.#writes;
    const fault = this.#plan.faults.find((one) => one.kind === 'store' && one.nth === nth);
    if (fault?.kind === 'store' && !this.isOver) throw new KlausError(fault.code, `write ${nth} fails ${AS_PLANNED}`);
  }

  checkSandbox(): void {
    const nth = ++this.#commands;
    if (!this.isOver && this.#plan.faults.some((one) => one.kind === 'sandbox' && one.nth === nth))
      throw new KlausError('sandbox.failed', `command ${nth} cannot be started ${AS_PLANNED}`);
  }

  checkSnapshot(): void {
    const nth = ++this.#snapshots;
    if (!this.isOver && this.#plan.faults.some((one) => one.kind === 'snapshot' && one.nth === nth))
      throw new KlausError('store.full', `state ${nth} cannot be kept ${AS_PLANNED}`);
  }
}
