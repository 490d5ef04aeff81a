import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { RunOutcome, RunScheduler, RunSession, RunWorker } from '@klaus/core/agent';
import { EmbeddedScheduler, openTemporalScheduler, type TemporalScheduler } from '@klaus/adapters/scheduler';
import { WORKFLOW_CACHE } from '../../../adapters/scheduler/temporal/temporal-server.fixture.ts';
import type { Host, Scheduler } from '../scheduler.ts';
import { toTemporary } from '../stores/sqlite-ground.ts';

/** The real scheduler of one life. */
export interface SimScheduler extends Pick<RunScheduler, 'wake' | 'at'> {
  start(run: RunSession): void;
  close(): Promise<void>;
}

/** Creates the schedulers of lives. */
export interface Engines extends AsyncDisposable {
  /** See `Ground.pace`. */
  readonly pace?: number;
  open(scheduler: Scheduler, host: Host): SimScheduler;
}

/** The embedded scheduler, in simulated time. */
export class EmbeddedEngines implements Engines {
  open(scheduler: Scheduler, host: Host): SimScheduler {
    const folder = toTemporary();
    const embedded = new EmbeddedScheduler({ folder, clock: scheduler.clockOf(host) });
    return {
      wake: (session, why) => embedded.wake(session, why),
      at: (session, time) => embedded.at(session, time),
      start: (run) => void embedded.work(run, { slots: 2 }),
      close: async () => rmSync(folder, { recursive: true, force: true }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** Temporal in real time, which the simulation follows. */
export class TemporalEngines implements Engines {
  readonly pace = 50;
  readonly #temporal: TemporalScheduler;
  readonly #lives = new Map<string, RunSession>();
  readonly #workers: readonly RunWorker[];

  private constructor(temporal: TemporalScheduler) {
    this.#temporal = temporal;
    this.#workers = [1, 2].map(() => temporal.work((given) => this.#run(given), { slots: 2 }));
  }

  /** @param address Of the engine. */
  static async open(address: string): Promise<TemporalEngines> {
    const taskQueue = `sim-${randomUUID()}`;
    return new TemporalEngines(await openTemporalScheduler({ address, taskQueue, cacheFolder: WORKFLOW_CACHE }));
  }

  /** Sessions of different lives have the same id in their stores, and different ones in the engine. */
  open(scheduler: Scheduler): SimScheduler {
    const life = randomUUID();
    const toId = (session: string): string => `${life}.${session}`;
    const toReal = (time: number): number => Date.now() + (time - scheduler.now) / this.pace;
    const toRealOutcome = (outcome: RunOutcome): RunOutcome =>
      outcome.state === 'waiting' && outcome.until !== undefined
        ? { state: 'waiting', until: Math.ceil(toReal(outcome.until)) }
        : outcome;
    const ended = Promise.withResolvers<RunOutcome>();
    const sessions = new Set<string>();
    return {
      wake: (session, why) => this.#temporal.wake(toId(session), why),
      at: (session, time) => this.#temporal.at(toId(session), Math.ceil(toReal(time))),
      start: (run) =>
        void this.#lives.set(life, async (given) => {
          sessions.add(given.session);
          return toRealOutcome(await Promise.race([run(given), ended.promise]));
        }),
      close: async () => {
        this.#lives.delete(life);
        ended.resolve({ state: 'idle' });
        for (const session of sessions) await this.#temporal.cancel(toId(session));
      },
    };
  }

  async #run(given: Parameters<RunSession>[0]): Promise<RunOutcome> {
    const [life, session] = given.session.split('.');
    const run = this.#lives.get(life!);
    return run ? run({ ...given, session: session! }) : { state: 'idle' };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop(1_000)));
    await this.#temporal.close();
  }
}
