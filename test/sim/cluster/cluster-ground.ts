import type { Ground } from '../ground.ts';
import type { Plan } from '../plan.ts';
import type { Processes } from '../process-group.ts';
import type { PostgresGround, PostgresLifeStores } from '../stores/postgres-ground.ts';
import type { World } from '../world.ts';
import { ClusterGroup } from './cluster-group.ts';
import { createClusterPlan } from './cluster-plan.ts';
import type { Engines } from './engines.ts';

/** Lives of two workers over Postgres, with a scheduler. Disposing it disposes both. */
export class ClusterGround implements Ground {
  readonly #postgres: PostgresGround;
  readonly #engines: Engines;
  #stores: PostgresLifeStores | undefined;

  constructor(postgres: PostgresGround, engines: Engines) {
    this.#postgres = postgres;
    this.#engines = engines;
  }

  get pace(): number | undefined {
    return this.#engines.pace;
  }

  async openLife(): Promise<PostgresLifeStores> {
    return (this.#stores = await this.#postgres.openLife());
  }

  createProcesses(world: World): Processes {
    return new ClusterGroup(world, this.#stores!, this.#engines);
  }

  createPlan(seed: number): Plan {
    return createClusterPlan(seed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engines[Symbol.asyncDispose]();
    await this.#postgres[Symbol.asyncDispose]();
  }
}
