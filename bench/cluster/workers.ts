import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterKlaus } from '@klaus/sdk/cluster';
import { endWorker, startCluster, WITHOUT_CLUSTER, type Cluster } from '../../test/cluster/cluster.ts';
import { startServer, toEnv } from '../../test/fixtures/klaus.ts';
import { createTestHome } from '../../test/fixtures/test-home.ts';
import type { Benchmark, Row } from '../benchmark.ts';
import { readCpuOf } from '../server/server-process.ts';
import { percentile } from './percentile.ts';

/** Milliseconds until the model answers: a short answer of a large model, and one that leaves the machine no pause. */
const ANSWER_MS = { usual: 3_000, fast: 1_000 };
type Speed = keyof typeof ANSWER_MS;
/** Milliseconds until it answers in a run that a worker takes over, and the calls of such a run. */
const LOOK_MS = 400;
const LOOKS = 30;
/** Sessions of a worker that is killed: as many as it has slots. */
const TAKEN = 4;
/** Milliseconds between two looks at the log. */
const POLL_MS = 50;
const LONGEST_MS = 60_000;

const LOOK = {
  when: { user: 'look' },
  delay: LOOK_MS,
  reply: { calls: [{ name: 'read_file', input: { path: 'README.md' } }] },
};
const SCRIPT = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { user: 'usual' }, delay: ANSWER_MS.usual, reply: { text: 'Done.' } },
    { when: { user: 'fast' }, delay: ANSWER_MS.fast, reply: { text: 'Done.' } },
    ...Array.from({ length: LOOKS }, () => LOOK),
    { reply: { text: 'Done.' } },
  ],
};

interface Place {
  cluster: Cluster;
  klaus: ClusterKlaus;
}

/** Complete workers: how many runs they do, and how fast one takes over from another one. */
export const workers: Benchmark = {
  name: 'workers',
  async run({ quick }) {
    const count = quick ? 16 : 64;
    const rounds = quick ? 1 : 5;
    const toName = (speed: Speed): string => `a model that answers after ${ANSWER_MS[speed] / 1_000} s`;
    const what = `${count} runs with ${toName('usual')}, on two workers of 4 slots`;
    if (WITHOUT_CLUSTER !== undefined) return [{ name: what, skipped: WITHOUT_CLUSTER }];
    await using model = await startServer(SCRIPT);
    using home = createTestHome();
    await using cluster = await startCluster(home, { env: toEnv({ place: home, server: model }) });
    const place = { cluster, klaus: await cluster.openNode() };
    const first = await cluster.startWorker();
    const one = await measureRates(place, count);
    const second = await cluster.startWorker();
    const before = await readCosts(place, [first, second]);
    const two = await measureRates(place, count);
    const after = await readCosts(place, [first, second]);
    const costOf = (name: keyof Costs): number => (after[name] - before[name]) / (2 * count);
    const idle = listChildren(first.pid!).length + listChildren(second.pid!).length;
    await endWorker(second, 'SIGTERM');
    const delays = await measureTakeovers(place, { first, rounds });
    return [
      {
        name: what,
        value: two.usual,
        unit: 'runs/s',
        bare: { value: one.usual, what: 'the same on one worker' },
        least: { times: 1.8 },
      },
      {
        name: `the same with ${toName('fast')}`,
        value: two.fast,
        unit: 'runs/s',
        bare: { value: one.fast, what: 'the same on one worker' },
      },
      { name: 'CPU of the workers for each of these runs', value: costOf('workers'), unit: 'ms' },
      { name: 'CPU of the engine for each', value: costOf('engine'), unit: 'ms' },
      { name: 'CPU of Postgres for each', value: costOf('postgres'), unit: 'ms' },
      { name: 'events of each', value: costOf('events'), unit: 'events' },
      { name: 'Postgres for each, all tables and indexes', value: costOf('bytes') / 1_000, unit: 'KB' },
      { name: `processes of workers for ${4 * count} idle sessions`, value: idle, unit: 'processes', most: 0 },
      { name: 'SIGKILL of a worker to the next event of its session, p50', value: percentile(delays, 50), unit: 'ms' },
      { name: 'the same, p95', value: percentile(delays, 95), unit: 'ms', most: 8_000 },
    ] satisfies Row[];
  },
};

/** Sums since the start of the processes: milliseconds of CPU, bytes of the database, and its events. */
type Costs = Record<'workers' | 'engine' | 'postgres' | 'bytes' | 'events', number>;

async function readCosts({ cluster }: Place, workers: readonly ChildProcess[]): Promise<Costs> {
  const client = await cluster.postgres.connect(cluster.database);
  try {
    const text =
      'SELECT pg_database_size(current_database())::float8 AS bytes, (SELECT count(*) FROM events)::float8 AS events';
    const { rows } = await client.query<Pick<Costs, 'bytes' | 'events'>>(text);
    return {
      workers: workers.reduce((sum, { pid }) => sum + readCpuOf(pid!), 0),
      engine: readCpuOf(cluster.engine.pid),
      // Each connection has a process of its own.
      postgres: listChildren(cluster.postgres.pid).reduce((sum, pid) => sum + readCpuOf(pid), 0),
      ...rows[0]!,
    };
  } finally {
    await client.end();
  }
}

async function begin({ cluster, klaus }: Place, text: string): Promise<string> {
  const session = await klaus.open();
  await session.prompt(text);
  await cluster.scheduler.wake(session.id, 'command');
  return session.id;
}

/** Runs each second. */
async function measureRates(place: Place, count: number): Promise<Record<Speed, number>> {
  return { usual: await measureRate(place, count, 'usual'), fast: await measureRate(place, count, 'fast') };
}

async function measureRate(place: Place, count: number, speed: Speed): Promise<number> {
  const sessions = await Promise.all(Array.from({ length: count }, () => place.klaus.open()));
  for (const session of sessions) await session.prompt(speed);
  const begun = Date.now();
  await Promise.all(sessions.map(({ id }) => place.cluster.scheduler.wake(id, 'command')));
  await waitForOutcomes(place, new Set(sessions.map(({ id }) => id)));
  const ends = await Promise.all(sessions.map(({ id }) => waitFor(place, id, ({ type }) => type === 'run.finished')));
  return (count * 1_000) / (Math.max(...ends) - begun);
}

/** Waits with one query for all sessions: one for each of them would take the cores from the workers. */
async function waitForOutcomes({ klaus }: Place, ids: ReadonlySet<string>): Promise<void> {
  for (const end = Date.now() + 2 * LONGEST_MS; Date.now() < end; await sleep(2 * POLL_MS)) {
    const rows = await klaus.sessions({ limit: 2 * ids.size });
    if (rows.filter(({ id, outcome }) => ids.has(id) && outcome !== null).length === ids.size) return;
  }
  throw new Error(`The runs did not end within ${2 * LONGEST_MS} ms.`);
}

/** Milliseconds from the kill of a worker to the next event of each of its sessions. */
async function measureTakeovers(place: Place, given: { first: ChildProcess; rounds: number }): Promise<number[]> {
  let worker = given.first;
  const delays: number[] = [];
  for (let round = 0; round < given.rounds; round++) {
    const sessions = await Promise.all(Array.from({ length: TAKEN }, () => begin(place, 'look')));
    await Promise.all(sessions.map((id) => waitFor(place, id, ({ type }) => type === 'tool.finished')));
    // Until now no other worker could take one of them.
    const next = await place.cluster.startWorker();
    const killed = Date.now();
    await endWorker(worker, 'SIGKILL');
    const ended = Date.now();
    const continued = sessions.map((id) => waitFor(place, id, ({ at }) => at > ended));
    for (const at of await Promise.all(continued)) delays.push(at - killed);
    await Promise.all(sessions.map((id) => waitFor(place, id, ({ type }) => type === 'run.finished')));
    worker = next;
  }
  return delays;
}

/** The time of the first event in the log that is as wanted. */
async function waitFor(
  { klaus }: Place,
  session: string,
  isWanted: (event: { type: string; at: number }) => boolean,
): Promise<number> {
  const end = Date.now() + LONGEST_MS;
  let seq = 0;
  while (Date.now() < end) {
    for await (const events of klaus.store.read(session, seq)) {
      for (const event of events) if (isWanted(event)) return event.at;
      seq = events.at(-1)?.seq ?? seq;
    }
    await sleep(POLL_MS);
  }
  throw new Error(`Session ${session} did not continue within ${LONGEST_MS} ms.`);
}

/** Processes that a process has started and that have not ended. */
function listChildren(parent: number): number[] {
  const isChild = (name: string): boolean => {
    try {
      return /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1] === String(parent);
    } catch {
      // It has ended.
      return false;
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isChild(name))
    .map(Number);
}
