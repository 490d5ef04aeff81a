import type { RunScheduler, WakeReason } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import type { Host } from '../scheduler.ts';
import type { World } from '../world.ts';

/** The calls of a scheduler. They are lost or doubled as planned. */
export class Wakes implements Pick<RunScheduler, 'wake' | 'at'> {
  readonly #world: World;
  readonly #host: Host;
  readonly #scheduler: Pick<RunScheduler, 'wake' | 'at'>;
  #count = 0;

  constructor(world: World, host: Host, scheduler: Pick<RunScheduler, 'wake' | 'at'>) {
    this.#world = world;
    this.#host = host;
    this.#scheduler = scheduler;
  }

  /** @throws KlausError `scheduler.failed` as planned. */
  async wake(session: string, why: WakeReason): Promise<void> {
    const { faults, plan, scheduler } = this.#world;
    const nth = ++this.#count;
    await scheduler.pause(this.#host, `wake ${why}`);
    const planned = faults.isOver ? [] : (plan.cluster ?? []);
    const lost = planned.find((fault) => fault.kind === 'lost' && fault.nth === nth);
    if (lost) scheduler.note(`wake ${nth} is lost`);
    if (lost?.kind === 'lost' && lost.how === 'fails')
      throw new KlausError('scheduler.failed', `wake ${nth} fails as planned`);
    if (lost) return;
    await this.repair(session, why);
    for (const fault of planned) {
      if (fault.kind !== 'twice' || fault.nth !== nth) continue;
      const run = (): void => void this.repair(session, why);
      scheduler.at(this.#host, fault.ms, { label: 'second wake', run });
    }
  }

  /** A wake that arrives. */
  async repair(session: string, why: WakeReason): Promise<void> {
    await this.#world.scheduler.io(this.#host, () => this.#scheduler.wake(session, why));
  }

  async at(session: string, time: number): Promise<void> {
    await this.#world.scheduler.io(this.#host, () => this.#scheduler.at(session, time));
  }
}
