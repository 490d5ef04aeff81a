import { advance, splitState, type RunOutcome, type RunSession } from '@klaus/core/agent';
import { isKlausError, type Event } from '@klaus/core/protocol';
import { startClusterWorker, type ClusterWorkerOptions } from '@klaus/sdk/cluster';
import type { ArchivedSnapshots } from '../../../sdk/cluster/archived-snapshots.ts';
import { isTreeRunnable } from '../../../sdk/sessions/session-tree.ts';
import type { Host } from '../scheduler.ts';
import { createSimEngine } from '../sim-process.ts';
import type { PostgresLifeStores, PostgresProcessStore } from '../stores/postgres-ground.ts';
import { isPlanned, type World } from '../world.ts';
import { checkObjects } from './check-objects.ts';
import { createSimArchive, createSimObjects } from './sim-archive.ts';

/** Latest states of the workspace that a run may need. */
const NEEDED = 12;

interface Parts {
  host: Host;
  store: PostgresProcessStore;
  stores: PostgresLifeStores;
  archive: ArchivedSnapshots;
}

interface Attempt {
  abort: AbortController;
  /** The worker is silent. */
  lose(): void;
}

/** One simulated process with the worker of a cluster. */
export class SimWorker {
  readonly host: Host;
  readonly #world: World;
  readonly #store: PostgresProcessStore;
  readonly #parts: Parts;
  /** One for each attempt: a process can have a lost attempt and a newer one at the same time. */
  readonly #hosts: Host[] = [];
  readonly #attempts = new Set<Attempt>();
  readonly #unsubscribe: () => void;

  /** Connects to the stores. */
  static async open(world: World, host: Host, stores: PostgresLifeStores): Promise<SimWorker> {
    const objects = createSimObjects(world, host, stores.objects);
    const store = await world.scheduler.io(host, () => stores.open({ name: host.name, objects }));
    return new SimWorker(world, { host, store, stores, archive: createSimArchive(world, { host, objects }) });
  }

  private constructor(world: World, parts: Parts) {
    const { host, store } = parts;
    const { monitor, session } = world;
    this.host = host;
    this.#world = world;
    this.#store = store;
    this.#parts = parts;
    monitor.catchUp();
    monitor.seenBy(host.name, monitor.state.seq);
    this.#unsubscribe = store.subscribe(session, monitor.state.seq, (event: Event) =>
      monitor.emitted(host.name, event),
    );
  }

  /** True for the host of one of its attempts. */
  has(host: Host | undefined): boolean {
    return host !== undefined && this.#hosts.includes(host);
  }

  get isResponsive(): boolean {
    return this.host.isAlive && !this.host.isStopped;
  }

  /** Undefined when the worker does not answer any more. */
  async attempt(given: { session: string; attempt: number; pause: AbortSignal }): Promise<RunOutcome | undefined> {
    const abort = new AbortController();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const attempt: Attempt = { abort, lose: () => resolve(undefined) };
    this.#attempts.add(attempt);
    const host: Host = { name: `${this.host.name}.${this.#hosts.length + 1}`, isAlive: true };
    this.#hosts.push(host);
    const run = toRun(this.#world, { ...this.#parts, host });
    const outcome = await Promise.race([run({ ...given, signal: abort.signal }), promise]);
    if (outcome) this.#attempts.delete(attempt);
    return outcome;
  }

  /** The scheduler gives its attempts to another worker. */
  lose(): void {
    for (const attempt of this.#attempts) attempt.lose();
  }

  /** Aborts the attempts that were lost, as with the first heartbeat after a stop. */
  abortLost(): void {
    for (const attempt of this.#attempts) attempt.abort.abort();
  }

  /** Ends it like SIGKILL. */
  kill(): void {
    if (!this.host.isAlive) return;
    const { holders, monitor, scheduler } = this.#world;
    scheduler.note(`${this.host.name} dies`);
    for (const host of [this.host, ...this.#hosts]) {
      scheduler.kill(host);
      holders.died(host);
    }
    this.#unsubscribe();
    monitor.forget(this.host.name);
    scheduler.background(() => this.#store.kill());
  }

  /** Stops it like SIGSTOP. */
  stop(): void {
    this.#world.scheduler.note(`${this.host.name} is stopped`);
    for (const host of [this.host, ...this.#hosts]) host.isStopped = true;
    this.#store.pause();
  }

  continue(): void {
    if (!this.host.isAlive) return;
    this.#world.scheduler.note(`${this.host.name} continues`);
    for (const host of [this.host, ...this.#hosts]) host.isStopped = false;
    this.#store.resume();
  }
}

/** What the worker of a cluster runs for an attempt. */
function toRun(world: World, { host, store, stores, archive }: Parts): RunSession {
  const simulated = createSimEngine(world, { host, store, snapshots: archive });
  const engine = { ...simulated, store: checkObjects(simulated.store, stores.objects, world.monitor) };
  const { scheduler } = world;
  const klaus: ClusterWorkerOptions['klaus'] = {
    handle: (session) => ({
      advance: (options) => advance(engine, session, options),
      isRunnable: () => isTreeRunnable(engine.store, engine, session),
    }),
    store: {
      tree: (session) => scheduler.io(host, () => store.tree(session)),
      approvals: (filter) => scheduler.io(host, () => store.approvals(filter)),
    },
    async prepare(session) {
      const events = await scheduler.io(host, () => store.eventsOf(session, ['workspace.snapshotted']));
      const trees = events.flatMap((event) => (event.type === 'workspace.snapshotted' ? [event.tree] : []));
      for (const tree of new Set(trees.slice(-NEEDED)))
        for (const state of splitState(tree)) await archive.fetch(state);
      return { [Symbol.asyncDispose]: async () => {} };
    },
  };
  let run: RunSession | undefined;
  startClusterWorker({
    klaus,
    clock: { now: () => scheduler.now },
    slots: 1,
    scheduler: { work: (given) => ((run = given), { stop: async () => {} }), wake: async () => {} },
    onProblem: (_, error) => noteProblem(world, host, error),
  });
  return run!;
}

/** A planned error, or the refusal of a former holder. Any other one is a bug. */
function noteProblem({ holders, monitor, scheduler }: World, host: Host, error: unknown): void {
  const code = isKlausError(error) ? error.code : String(error);
  const isRefused = code === 'store.busy' && holders.isFormer(host);
  if (!isPlanned(error) && !isRefused)
    monitor.fail('no bug', error instanceof Error ? (error.stack ?? error.message) : String(error));
  scheduler.note(`${host.name} has a problem: ${code}`);
}
