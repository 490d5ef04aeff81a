import {
  advance,
  createToolRegistry,
  isParked,
  isReceivable,
  type Agents,
  type Engine,
  type Processes,
  type Snapshots,
} from '@klaus/core/agent';
import { createRedactor, type Rule } from '@klaus/core/policy';
import { isKlausError, KlausError, toUlid, type Event } from '@klaus/core/protocol';
import { createChance, type Chance } from '../undo/chance.ts';
import { toHash } from './files.ts';
import { SECRET } from './plan.ts';
import type { Host } from './scheduler.ts';
import { createSimModels } from './sim-model.ts';
import { createSimSandbox, createSimTools } from './sim-tools.ts';
import { createSimStore, listen } from './sim-store.ts';
import type { ProcessStore } from './stores/life-stores.ts';
import { isPlanned, type World } from './world.ts';

/** Milliseconds between two polls of a session. */
const POLL_MS = 2_000;
/** How long a question may wait, in milliseconds. */
export const APPROVAL_TTL_MS = 60_000;

/** One process with its own engine and store. It advances the session whenever possible. */
export class SimProcess {
  readonly host: Host;
  /** True during `advance`. */
  isWorking = false;
  readonly #world: World;
  readonly #store: ProcessStore;
  readonly #engine: Engine;
  readonly #chance: Chance;
  #wake: AbortController | undefined;
  readonly #unsubscribe: () => void;
  #onEnd: () => void = () => {};

  /** Connects to the store. */
  static async open(world: World, host: Host): Promise<SimProcess> {
    const { scheduler, stores } = world;
    const clock = scheduler.clockOf(host, { isPoll: true });
    return new SimProcess(world, { host, store: await scheduler.io(host, () => stores.open({ ...host, clock })) });
  }

  private constructor(world: World, { host, store }: { host: Host; store: ProcessStore }) {
    this.host = host;
    this.#world = world;
    this.#chance = toChance(world, host, 'tries');
    this.#store = store;
    this.#engine = createSimEngine(world, { host, store: this.#store });
    const { session, monitor } = world;
    monitor.catchUp();
    monitor.seenBy(host.name, monitor.state.seq);
    this.#unsubscribe = store.subscribe(session, monitor.state.seq, (event: Event) =>
      monitor.emitted(host.name, event),
    );
    listen(world, { host, store, session, wake: () => this.#wake?.abort() });
  }

  get engine(): Engine {
    return this.#engine;
  }

  /** Runs until the process ends, which calls `onEnd`. A kill does not call it. */
  start(onEnd: () => void): void {
    this.#onEnd = onEnd;
    void this.#serve();
  }

  /** Ends it like SIGKILL: waiting tasks are dropped, and the kernel releases the locks. */
  kill(): void {
    if (!this.host.isAlive) return;
    const { scheduler, monitor } = this.#world;
    scheduler.note(`${this.host.name} dies`);
    this.#world.holders.died(this.host);
    scheduler.kill(this.host);
    this.#unsubscribe();
    monitor.forget(this.host.name);
    // The store has no pending writes: the scheduler waits for every write.
    scheduler.background(() => this.#store.kill());
  }

  async #serve(): Promise<void> {
    const { scheduler, session } = this.#world;
    try {
      for (;;) {
        if (this.#isRunnable()) {
          this.isWorking = true;
          const { state } = await advance(this.#engine, session);
          this.isWorking = false;
          scheduler.note(`${this.host.name} advanced: ${state}`);
        }
        this.#wake = new AbortController();
        await scheduler.sleep(this.host, POLL_MS, { label: 'look', signal: this.#wake.signal });
      }
    } catch (error) {
      this.#fell(error);
    }
  }

  #fell(error: unknown): void {
    const { monitor, scheduler } = this.#world;
    if (!isPlanned(error))
      monitor.fail('no bug', error instanceof Error ? (error.stack ?? error.message) : String(error));
    scheduler.note(`${this.host.name} ends: ${isKlausError(error) ? error.code : String(error)}`);
    this.kill();
    this.#onEnd();
  }

  /** True if a server would advance the session, which no process holds. */
  #isRunnable(): boolean {
    const { monitor, scheduler, session, holders } = this.#world;
    monitor.catchUp();
    const { state } = monitor;
    // A refused claim takes some real milliseconds, so that it is rarely tried.
    if (holders.current?.isAlive && !this.#chance.percent(10)) return false;
    if (this.#world.stores.durable.inbox(session).some((command) => isReceivable(state, command))) return true;
    if (state.openSnapshot && state.calls.length === 0) return true;
    if (!state.run) return !state.titled;
    return !isParked(state, scheduler.now);
  }
}

/** The simulated shell starts no background processes. */
const NO_PROCESSES: Processes = {
  list: () => [],
  find: () => undefined,
  takeOver: async () => [],
  reserve: refuse,
  read: refuse,
  wait: refuse,
  send: refuse,
  stop: refuse,
};

/** The simulated tools use no definitions. */
const NO_AGENTS: Agents = {
  list: refuse,
  find: refuse,
  workspace: '',
  grantOf: refuse,
  describe: refuse,
  isOfProject: refuse,
  trust: refuse,
  untrusted: refuse,
  checkTrust: refuse,
  save: refuse,
  edit: refuse,
  remove: refuse,
};

function refuse(): never {
  throw new Error('neither background processes nor definitions are simulated');
}

function toChance({ plan }: World, host: Host, what: string): Chance {
  return createChance(Number.parseInt(toHash(`${plan.seed} ${host.name} ${what}`).slice(0, 8), 16));
}

/** The real loop on simulated ports. */
export function createSimEngine(
  world: World,
  { host, store, snapshots }: { host: Host; store: ProcessStore; snapshots?: Snapshots },
): Engine {
  const { scheduler, files, plan, faults } = world;
  const chance = toChance(world, host, 'engine');
  let last = 0;
  let made = 0;
  return {
    store: createSimStore(world, { host, store }),
    models: createSimModels(world, host),
    tools: createToolRegistry(createSimTools(world, host)),
    clock: scheduler.clockOf(host),
    ids: {
      ulid() {
        last = Math.max(last, scheduler.now);
        const bytes = Buffer.from(toHash(`${plan.seed} ${host.name} ${++made}`), 'hex');
        return toUlid(last, bytes.subarray(0, 10));
      },
      digest: toHash,
      random: () => chance.number(1_000_000) / 1_000_000,
    },
    settings: {
      maxOutputTokens: 1_500,
      maxRetries: 2,
      retry: { attempts: 4, baseMs: 500, maxMs: 20_000, idleMs: 60_000, firstTokenMs: 60_000, waitMs: 0 },
      maxToolOutputContext: 6_000,
      maxSearchResults: 100,
      execLimits: { timeoutMs: 120_000, memoryMb: 1_024, cpus: 1, processes: 256 },
      gitIdentity: { name: 'Klaus', email: 'klaus@localhost' },
      deploy: { netlifyUrl: '', vercelUrl: '', cloudfrontUrl: '', retryMs: 1 },
      compactAt: 0.8,
      approvalTtlMs: APPROVAL_TTL_MS,
      secretPatterns: [],
      hiddenPatterns: [],
      endProcesses: 'close',
    },
    home: '/klaus-home',
    readOwnInstructions: async () => undefined,
    openWeb: () => ({ send: () => Promise.reject(new Error('no network')) }),
    openProxy: () => Promise.reject(new Error('no network')),
    userGit: { settings: async () => new Map() },
    registries: () => ({}),
    findSecret: () => undefined,
    findIgnored: async () => new Set(),
    configuredPlaces: async () => [],
    openChild: refuse,
    openRunner: refuse,
    openFolder: async (path) => {
      throw new KlausError('workspace.missing', `There is no ${path}.`);
    },
    openWorkspace: async () => files.workspaceOf(host),
    openSandbox: async () => createSimSandbox(world, host),
    openAgents: () => NO_AGENTS,
    openSkills: () => ({ exist: () => false, folders: () => [], list: refuse, find: refuse, files: refuse }),
    openKnowledge: (workspace) => toPort(world, host, store.knowledge(workspace)),
    openRecall: (session) => toPort(world, host, store.recall(session)),
    openProcesses: () => NO_PROCESSES,
    listProcesses: () => [],
    createRedactor: (session) =>
      createRedactor({ salt: session, digest: toHash, values: [{ name: 'planted', value: SECRET }], rules: [] }),
    openSnapshots: async () => snapshots ?? files.snapshotsOf(host, () => faults.checkSnapshot()),
    openLayers: async () => files.layersOf(host),
    compareNames: () => 'exact',
    openSecrets: () => ({
      files: async () => [],
      values: async () => [],
      identify: async () => ({ isSecret: false, names: [], isShared: false }),
      otherNames: async () => [],
    }),
    // One session works in a workspace, and there are no working copies.
    editsSince: async () => [],
    hasCopy: async () => false,
    remembered: async (workspace, agent) => {
      const rows = await scheduler.io(host, () => store.remembered({ workspace, agent }));
      return rows.map((row) => row.remembered);
    },
    rules: plan.seed % 7 === 3 ? [FAILING_RULE] : [],
    findCommitted: async () => new Set(),
    judgeContents: async () => ({ carried: new Map(), unknown: [], found: new Set(), named: new Map() }),
    async checkpoint() {
      await scheduler.pause(host, 'checkpoint');
      const commit = toHash(JSON.stringify([...files.workspace]));
      await scheduler.pause(host, 'checkpointed');
      return { ref: 'refs/klaus/sim', commit, files: files.workspace.size, leftOut: [] };
    },
  };
}

/** A port whose calls are I/O of this process. */
function toPort<T extends object>({ scheduler }: World, host: Host, port: T): T {
  return new Proxy(port, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => scheduler.io(host, async () => Reflect.apply(value, target, given) as unknown);
    },
  });
}

/** A rule with a bug: a call for which it throws is denied. */
const FAILING_RULE: Rule = {
  name: 'failing',
  check({ name }) {
    if (name === 'deploy') throw new TypeError('this rule has a bug');
    return undefined;
  },
};
