import type { RunAttempt, RunOutcome } from '@klaus/core/agent';
import { toHash } from '../files.ts';
import type { Host } from '../scheduler.ts';
import type { World } from '../world.ts';
import type { SimWorker } from './sim-worker.ts';

/** Simulated milliseconds until the next look for a worker. */
const LOOK_MS = 500;

/** Gives the attempts of a scheduler to workers, and lost ones to another worker, as the engine of Temporal does. */
export class Dispatcher {
  /** Attempts that have no end yet. */
  running = 0;
  readonly #world: World;
  readonly #host: Host;
  readonly #workers: () => readonly SimWorker[];
  #count = 0;

  constructor(world: World, host: Host, workers: () => readonly SimWorker[]) {
    this.#world = world;
    this.#host = host;
    this.#workers = workers;
  }

  readonly run = async ({ session, attempt, pause }: RunAttempt): Promise<RunOutcome> => {
    this.running++;
    try {
      for (let retry = 0; ; retry++) {
        const outcome = await this.#try({ session, attempt: attempt + retry, pause });
        if (outcome) return outcome;
      }
    } finally {
      this.running--;
    }
  };

  async #try(given: { session: string; attempt: number; pause: AbortSignal }): Promise<RunOutcome | undefined> {
    const { scheduler } = this.#world;
    await scheduler.pause(this.#host, 'attempt');
    const nth = ++this.#count;
    const worker = await this.#pick(nth);
    scheduler.note(`attempt ${nth} of ${worker.host.name}`);
    this.#giveAgain(nth, worker, given);
    const outcome = await worker.attempt(given);
    scheduler.note(`attempt ${nth} ended: ${outcome?.state ?? 'lost'}`);
    return outcome;
  }

  async #pick(nth: number): Promise<SimWorker> {
    for (;;) {
      const workers = this.#workers().filter(({ isResponsive }) => isResponsive);
      const chance = Number.parseInt(toHash(`${this.#world.plan.seed} ${nth}`).slice(0, 6), 16);
      if (workers.length > 0) return workers[chance % workers.length]!;
      await this.#world.scheduler.sleep(this.#host, LOOK_MS, { label: 'no worker' });
    }
  }

  /** The planned second delivery of an attempt, to another worker. */
  #giveAgain(nth: number, first: SimWorker, given: { session: string; attempt: number; pause: AbortSignal }): void {
    const { faults, plan, scheduler } = this.#world;
    if (faults.isOver) return;
    for (const fault of plan.cluster ?? []) {
      if (fault.kind !== 'late' || fault.nth !== nth) continue;
      const run = (): void => {
        const other = this.#workers().find((worker) => worker !== first && worker.isResponsive);
        if (!other) return;
        this.running++;
        void other.attempt({ ...given, attempt: given.attempt - fault.older }).finally(() => this.running--);
      };
      scheduler.at(this.#host, fault.ms, { label: 'late attempt', run });
    }
  }
}
