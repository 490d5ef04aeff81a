import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { createInterface } from 'node:readline';
import type { Cluster } from '../cluster.ts';
import type { ClusterOrder, WorkerProblem } from '../cluster-order.ts';
import { createWorkerNetwork, type WorkerNetwork } from './worker-network.ts';

/** Milliseconds of the faults. */
const LASTS = { stop: 10_000, cut: 15_000, restart: 2_000 } as const;
/** Milliseconds until a worker that ended with an error is started again. */
const RESTART_MS = 500;
/** Milliseconds between two kills of workers. */
const KILL_EVERY = 5_000;

/** A worker in a network namespace of its own. */
interface Worker {
  child: ChildProcess;
  network: WorkerNetwork;
  /** The addresses of the services in its network. */
  order: Partial<ClusterOrder>;
  /** True while it is stopped, or cut off: another fault does not hit it. */
  isHit: boolean;
  /** True if it was ever stopped or cut off: its leases may have expired. */
  wasHit: boolean;
}

/** What happened to the workers. */
export interface Chaos extends AsyncDisposable {
  /** Number of faults, by their name. */
  readonly counts: Readonly<Record<string, number>>;
  /** Problems of workers that were never stopped or cut off. */
  readonly problems: readonly WorkerProblem[];
  /** Hits the cluster for some seconds. Resolves when the last fault has ended and all workers run. */
  run(seconds: number): Promise<void>;
}

/** A worker that starts while a service is away ends with an error, and its service manager starts it again. */
async function startAgain(start: () => Promise<ChildProcess>): Promise<ChildProcess> {
  for (;;) {
    try {
      return await start();
    } catch {
      await pause(RESTART_MS);
    }
  }
}

/** Starts workers, and kills, stops and cuts them off. */
export async function startChaos(cluster: Cluster, workerCount: number): Promise<Chaos> {
  const stack = new AsyncDisposableStack();
  const problems: WorkerProblem[] = [];
  const counts: Record<string, number> = {};
  const count = (name: string): void => void (counts[name] = (counts[name] ?? 0) + 1);
  const launch = async (worker: Pick<Worker, 'network' | 'order'>): Promise<Worker> => {
    const child = await startAgain(() => cluster.startWorker(worker.order, worker.network.prefix));
    const launched: Worker = { ...worker, child, isHit: false, wasHit: false };
    createInterface(launched.child.stdout!).on('line', (line) => {
      if (line.startsWith('{') && !launched.wasHit) problems.push(JSON.parse(line) as WorkerProblem);
    });
    return launched;
  };
  const workers = await Promise.all(
    Array.from({ length: workerCount }, async () => {
      const network = stack.use(createWorkerNetwork());
      return launch({ network, order: await toReachable(cluster, network) });
    }),
  );
  let turn = 0;
  const choose = (): number => {
    for (let tries = 0; tries < workers.length; tries++) {
      const at = turn++ % workers.length;
      if (!workers[at]!.isHit) return at;
    }
    return -1;
  };
  const kill = async (): Promise<void> => {
    const at = choose();
    if (at < 0) return;
    const worker = workers[at]!;
    worker.isHit = true;
    worker.child.kill('SIGKILL');
    count('kill');
    workers[at] = await launch(worker);
  };
  /** Hits one worker for some time. */
  const hit = async (name: string, ms: number, begin: (worker: Worker) => Promise<() => unknown>): Promise<void> => {
    const at = choose();
    if (at < 0) return;
    const worker = workers[at]!;
    Object.assign(worker, { isHit: true, wasHit: true });
    const end = await begin(worker);
    count(name);
    await pause(ms);
    await end();
    worker.isHit = false;
  };
  const FAULTS: readonly (() => Promise<void>)[] = [
    () =>
      hit('stop', LASTS.stop, async ({ child }) => {
        child.kill('SIGSTOP');
        return () => child.kill('SIGCONT');
      }),
    async () => {
      await cluster.engine.kill();
      count('engine');
      await pause(LASTS.restart);
      await cluster.engine.restart();
    },
    async () => {
      await cluster.postgres.crash();
      count('postgres');
      await pause(LASTS.restart);
      await cluster.postgres.start();
    },
    () => hit('cut from postgres', LASTS.cut, async ({ network }) => network.drop('postgres')),
    () => hit('cut from engine', LASTS.cut, async ({ network }) => network.drop('engine')),
  ];
  const loseEngine = async (): Promise<void> => {
    await cluster.engine.kill();
    count('engine without its database');
    await cluster.engine.restart({ fresh: true });
  };
  return {
    counts,
    problems,
    async run(seconds) {
      const until = Date.now() + seconds * 1_000;
      const kills = (async () => {
        for (; Date.now() < until - KILL_EVERY; await pause(KILL_EVERY)) await kill();
      })();
      const others: Promise<void>[] = [];
      // The long ones overlap with the next ones.
      const gap = Math.max(3_000, (seconds * 1_000 - LASTS.cut) / (2 * FAULTS.length + 1));
      for (let at = 0; Date.now() < until - LASTS.cut; at++) {
        if (at === FAULTS.length) await Promise.all(others).then(loseEngine);
        else others.push(FAULTS[at % FAULTS.length]!());
        await pause(gap);
      }
      await Promise.all([kills, ...others]);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The services, as a worker reaches them from its network. */
async function toReachable({ shared }: Cluster, network: WorkerNetwork): Promise<Partial<ClusterOrder>> {
  const forward = async (address: string, link: 'postgres' | 'others'): Promise<string> => {
    const url = new URL(address);
    url.host = await network.forward(link, Number(url.port));
    return url.href;
  };
  const model = shared.env['ANTHROPIC_BASE_URL']!;
  return {
    database: await forward(shared.database, 'postgres'),
    engine: await network.forward('engine', Number(shared.engine.split(':').at(-1))),
    bucket: { ...shared.bucket, endpoint: await forward(shared.bucket.endpoint!, 'others') },
    env: { ...shared.env, ANTHROPIC_BASE_URL: (await forward(model, 'others')).replace(/\/$/, '') },
  };
}
