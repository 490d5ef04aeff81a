import { isParked, isReceivable } from '@klaus/core/agent';
import { startSweep, type Sweep } from '@klaus/sdk/cluster';
import { toHash } from '../files.ts';
import { LabelWatch } from '../label-watch.ts';
import type { Processes } from '../process-group.ts';
import type { Host } from '../scheduler.ts';
import type { PostgresLifeStores, PostgresProcessStore } from '../stores/postgres-ground.ts';
import { isPlanned, type World } from '../world.ts';
import { ClusterHolders } from './cluster-holders.ts';
import { Dispatcher } from './dispatcher.ts';
import type { Engines, SimScheduler } from './engines.ts';
import { SimWorker } from './sim-worker.ts';
import { Wakes } from './wakes.ts';

/** Simulated milliseconds without a heartbeat after which an attempt is given to another worker. */
const HEARTBEAT_MS = 2_000;
/** Simulated milliseconds after which the leases of a stopped process expire. */
const LEASE_MS = 5_000;
/** Simulated milliseconds that a command waits before its wake counts as lost. */
const OVERDUE_MS = 2_000;
/** Sweeps, one each 2 seconds, within which a session with something to do runs. The sweep wakes it each 5 minutes at least. */
const MAX_SWEEPS = 170;
/** Real milliseconds for the same, where the scheduler takes real time. */
const MAX_REAL_MS = 30_000;

/** Two workers over one store, a scheduler, and the sweep that repairs its lost calls. */
export class ClusterGroup implements Processes {
  crashes = 0;
  readonly #world: World;
  readonly #stores: PostgresLifeStores;
  readonly #holders: ClusterHolders;
  readonly #engine: Host = { name: 'engine', isAlive: true };
  readonly #scheduler: SimScheduler;
  readonly #dispatcher: Dispatcher;
  readonly #wakes: Wakes;
  readonly #watch: LabelWatch;
  readonly #workers: SimWorker[] = [];
  /** When each command became durable, in simulated milliseconds. */
  readonly #sentAt = new Map<string, number>();
  readonly #done = new Set<object>();
  #sweeper: PostgresProcessStore | undefined;
  #sweep: Sweep | undefined;
  #started = 0;
  #waiting = 0;
  #sweeps = 0;
  readonly #pace: number | undefined;
  #stuckSince = 0;
  #wokenAt = 0;

  constructor(world: World, stores: PostgresLifeStores, engines: Engines) {
    this.#world = world;
    this.#stores = stores;
    this.#pace = engines.pace;
    this.#holders = new ClusterHolders(world.monitor);
    this.#watch = new LabelWatch(world.scheduler);
    this.#scheduler = engines.open(world.scheduler, this.#engine);
    this.#dispatcher = new Dispatcher(world, this.#engine, () => this.#workers);
    this.#wakes = new Wakes(world, this.#engine, this.#scheduler);
    world.holders = this.#holders;
    world.cluster = { sent: (command) => this.#sent(command) };
  }

  get isBusy(): boolean {
    const isStopped = this.#workers.some(({ host }) => host.isAlive && host.isStopped);
    return this.#waiting > 0 || this.#dispatcher.running > 0 || isStopped;
  }

  async begin(): Promise<void> {
    for (let count = 0; count < 2; count++) await this.#start();
    this.#sweeper = await this.#stores.open({ name: 'sweeper' });
    this.#sweep = this.#startSweep(this.#sweeper);
    this.#scheduler.start(this.#dispatcher.run);
  }

  fail(): void {
    const { plan, scheduler, faults, holders } = this.#world;
    this.#wakeUnfinished();
    if (faults.isOver) return;
    const holder = this.#workers.find((worker) => worker.host.isAlive && worker.has(holders.current));
    for (const fault of plan.faults) {
      if (fault.kind === 'crash' && fault.step === scheduler.steps) this.#kill(holder);
      if (fault.kind === 'crash-at' && this.#watch.isReached(fault)) this.#kill(holder);
    }
    for (const fault of plan.cluster ?? []) {
      if (fault.kind !== 'stop' || !this.#watch.isReached(fault) || this.#done.has(fault)) continue;
      this.#done.add(fault);
      if (holder?.isResponsive) this.#stop(holder, fault.ms);
    }
  }

  kill(): void {
    this.#sweep?.stop();
    for (const worker of this.#workers) worker.kill();
    const { scheduler } = this.#world;
    scheduler.kill(this.#engine);
    scheduler.background(() => this.#scheduler.close());
    scheduler.background(async () => this.#sweeper?.kill());
  }

  async #start(): Promise<void> {
    const host: Host = { name: `w${++this.#started}`, isAlive: true };
    this.#workers.push(await SimWorker.open(this.#world, host, this.#stores));
  }

  #kill(worker: SimWorker | undefined): void {
    if (!worker?.host.isAlive) return;
    const { plan, scheduler } = this.#world;
    this.crashes++;
    worker.kill();
    this.#loseLater(worker);
    this.#waiting++;
    const ms = Number.parseInt(toHash(`${plan.seed} ${this.#started}`).slice(0, 4), 16) % 3_000;
    const run = (): void => void this.#start().finally(() => this.#waiting--);
    scheduler.at(this.#engine, ms, { label: 'a worker starts', run });
  }

  #stop(worker: SimWorker, ms: number): void {
    const { scheduler } = this.#world;
    const { host } = worker;
    worker.stop();
    this.#loseLater(worker);
    const later = (after: number, label: string, run: () => void): void =>
      void scheduler.at(this.#engine, after, { label, run });
    later(LEASE_MS, 'leases expire', () => {
      if (!host.isAlive || !host.isStopped) return;
      this.#stores.expireLeases(host.name);
      if (worker.has(this.#holders.current)) this.#holders.expired();
    });
    later(ms, 'a worker continues', () => {
      worker.continue();
      later(HEARTBEAT_MS / 4, 'lost attempts end', () => worker.abortLost());
    });
  }

  #loseLater(worker: SimWorker): void {
    const run = (): void => {
      if (!worker.isResponsive) worker.lose();
    };
    this.#world.scheduler.at(this.#engine, HEARTBEAT_MS, { label: 'heartbeat time-out', run });
  }

  #sent(command: string): void {
    const { scheduler, session } = this.#world;
    this.#sentAt.set(command, scheduler.now);
    void this.#wakes.wake(session, 'command').catch((error: unknown) => this.#check(error));
  }

  #check(error: unknown): void {
    if (!isPlanned(error)) this.#world.monitor.fail('no bug', String(error));
  }

  #startSweep(store: PostgresProcessStore): Sweep {
    const { scheduler, session, stores } = this.#world;
    const host = this.#engine;
    const clock = scheduler.clockOf(host);
    const sentAt = this.#sentAt;
    const io = <T>(work: () => Promise<T>): Promise<T> => scheduler.io(host, work);
    return startSweep({
      store: {
        wakes: {
          // The database has real times only.
          async overdue(olderThanMs) {
            const before = scheduler.now - olderThanMs;
            const isOverdue = stores.durable.inbox(session).some(({ id }) => (sentAt.get(id) ?? 0) < before);
            return isOverdue ? io(() => store.wakes.overdue(0)) : [];
          },
          waiting: () => io(() => store.wakes.waiting()),
          interrupted: () => io(() => store.wakes.interrupted()),
          expiring: (until) => io(() => store.wakes.expiring(until)),
          take: (sessions, now) => io(() => store.wakes.take(sessions, now)),
          forget: (sessions) => io(() => store.wakes.forget(sessions)),
          forgetOthers: (sessions) => io(() => store.wakes.forgetOthers(sessions)),
        },
      },
      scheduler: this.#wakes,
      overdueMs: OVERDUE_MS,
      clock: {
        now: () => scheduler.now,
        every: (ms, tick) =>
          clock.every(ms, () => {
            tick();
            this.#checkWakes();
          }),
      },
      onError: (error) => this.#check(error),
    });
  }

  /** A session with something to do runs within a number of sweeps. */
  #checkWakes(): void {
    const { monitor, scheduler, session, stores } = this.#world;
    monitor.catchUp();
    const { state } = monitor;
    const isWoken = stores.durable.inbox(session).some((command) => isReceivable(state, command));
    const hasWork = isWoken || (state.run !== undefined && !isParked(state, scheduler.now));
    if (!hasWork || this.isBusy) this.#sweeps = 0;
    else if (this.#sweeps++ === 0) this.#stuckSince = performance.now();
    const isLate = this.#pace === undefined || performance.now() - this.#stuckSince > MAX_REAL_MS;
    if (this.#sweeps > MAX_SWEEPS && isLate)
      monitor.fail('lost wakes are repaired', `${this.#sweeps} sweeps did not start a session with something to do`);
  }

  /** A title or a state of the workspace that an error left out: the next wake adds it. */
  #wakeUnfinished(): void {
    const { monitor, scheduler, session, stores } = this.#world;
    const { run, titled, openSnapshot } = monitor.state;
    if (run || (titled && !openSnapshot) || this.isBusy || stores.durable.inbox(session).length > 0) return;
    if (this.#sentAt.size === 0 || scheduler.now < this.#wokenAt + 2 * HEARTBEAT_MS) return;
    this.#wokenAt = scheduler.now;
    void this.#wakes.repair(session, 'command');
  }
}
