import { toHash } from './files.ts';
import { LabelWatch } from './label-watch.ts';
import type { Host } from './scheduler.ts';
import { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

/** The processes that advance the session. */
export interface Processes {
  /** Processes that were killed. */
  readonly crashes: number;
  /** True while one of them works, or will start. */
  readonly isBusy: boolean;
  begin(): Promise<void>;
  /** Lets processes fail as planned, before the next step. */
  fail(): void;
  /** Ends all of them. */
  kill(): void;
}

/** Processes that look for work by themselves, on one machine. */
export class ProcessGroup implements Processes {
  crashes = 0;
  readonly #user: Host = { name: 'user', isAlive: true };
  readonly #world: World;
  readonly #processes: SimProcess[] = [];
  readonly #watch: LabelWatch;
  #started = 0;
  #waiting = 0;

  constructor(world: World) {
    this.#world = world;
    this.#watch = new LabelWatch(world.scheduler);
  }

  get isBusy(): boolean {
    return this.#waiting > 0 || this.#processes.some((one) => one.host.isAlive && one.isWorking);
  }

  async begin(): Promise<void> {
    await this.#start();
    if (this.#world.plan.seed % 5 === 2) this.#startLater(100);
  }

  kill(): void {
    for (const process of this.#processes) process.kill();
  }

  async #start(): Promise<void> {
    const host: Host = { name: `p${++this.#started}`, isAlive: true };
    const process = await SimProcess.open(this.#world, host);
    this.#processes.push(process);
    process.start(() => this.#startLater(1_000));
  }

  #startLater(most: number): void {
    const { scheduler } = this.#world;
    this.#waiting++;
    const ms = Number.parseInt(toHash(`${this.#world.plan.seed} ${this.#started}`).slice(0, 4), 16) % most;
    const run = (): void => {
      this.#waiting--;
      void this.#start();
    };
    scheduler.at(this.#user, ms, { label: 'a process starts', run });
  }

  fail(): void {
    const { plan, scheduler, faults, holders } = this.#world;
    if (faults.isOver) return;
    for (const fault of plan.faults) {
      if (fault.kind === 'crash' && fault.step === scheduler.steps) this.#kill(holders.current);
      if (fault.kind === 'crash-at' && this.#watch.isReached(fault)) this.#kill(holders.current);
    }
  }

  #kill(host: Host | undefined): void {
    const process = this.#processes.find((one) => one.host === host && one.host.isAlive);
    if (!process) return;
    this.crashes++;
    process.kill();
    this.#startLater(3_000);
  }
}
