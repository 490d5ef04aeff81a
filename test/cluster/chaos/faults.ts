import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { createInterface } from 'node:readline';
import { startProxy, type Proxy } from '../../fixtures/proxy.ts';
import type { Cluster } from '../cluster.ts';
import type { WorkerProblem } from '../cluster-order.ts';

/** Milliseconds of the faults. */
const LASTS = { stop: 10_000, cut: 15_000, restart: 2_000 } as const;
/** Milliseconds until a worker that ended with an error is started again. */
const RESTART_MS = 500;
/** Milliseconds between two kills of workers. */
const KILL_EVERY = 5_000;

/** A worker whose traffic to Postgres and to the engine goes through proxies that can stop it. */
interface Worker {
  child: ChildProcess;
  toPostgres: Proxy;
  toEngine: Proxy;
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
  const database = new URL(cluster.database);
  const enginePort = Number(cluster.engine.address.split(':').at(-1));
  const launch = async (worker: Pick<Worker, 'toPostgres' | 'toEngine'>): Promise<Worker> => {
    database.port = String(worker.toPostgres.port);
    const order = { database: database.href, engine: `127.0.0.1:${worker.toEngine.port}` };
    const child = await startAgain(() => cluster.startWorker(order));
    const launched: Worker = { ...worker, child, isHit: false, wasHit: false };
    createInterface(launched.child.stdout!).on('line', (line) => {
      if (line.startsWith('{') && !launched.wasHit) problems.push(JSON.parse(line) as WorkerProblem);
    });
    return launched;
  };
  const workers = await Promise.all(
    Array.from({ length: workerCount }, async () =>
      launch({
        toPostgres: stack.use(await startProxy(Number(database.port))),
        toEngine: stack.use(await startProxy(enginePort)),
      }),
    ),
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
    () => hit('cut from postgres', LASTS.cut, ({ toPostgres }) => toPostgres.drop('stall')),
    () => hit('cut from engine', LASTS.cut, ({ toEngine }) => toEngine.drop('stall')),
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
