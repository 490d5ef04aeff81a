// Covers apps/cli/worker, apps/cli/commands/system, sdk/cluster, core/protocol/settings: `klaus worker` from the outside.
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterKlaus } from '@klaus/sdk/cluster';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WORKFLOW_CACHE } from '../../adapters/scheduler/temporal/temporal-server.fixture.ts';
import { parseExposition } from '../fixtures/exposition.ts';
import { startReceiver, type Receiver } from '../fixtures/receiver.ts';
import { untilLogged } from '../fixtures/engine.ts';
import { runKlaus, startKlaus, startServer, toEnv, type Ended, type RunningKlaus } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { startCluster, WITHOUT_CLUSTER, type Cluster } from './cluster.ts';

/** Steps of one run after the first command: each answer comes after some time. */
const STEPS = 6;
const LOOK = {
  delay: 300,
  reply: { text: 'I look.', calls: [{ name: 'read_file', input: { path: 'README.md' } }] },
};
const SCRIPT = {
  steps: [
    { when: { user: 'slowly' }, delay: 30_000, reply: { text: 'Late.' } },
    { reply: { calls: [{ name: 'run_command', input: { command: 'env' } }] } },
    ...Array.from({ length: STEPS }, () => LOOK),
    { reply: { text: 'Done.' } },
  ],
};
const SLOTS = 4;
/** Milliseconds, fewer than the slow answer takes. */
const AGENT_SHUTDOWN_TIMEOUT = '4000';
const PASSWORD = 'k7Qz-m2Xp9-w4Rt';

interface Worker {
  process: RunningKlaus;
  url: string;
}

describe.skipIf(WITHOUT_CLUSTER !== undefined)(`klaus worker${WITHOUT_CLUSTER ? `: ${WITHOUT_CLUSTER}` : ''}`, () => {
  const stack = new AsyncDisposableStack();
  let place: TestHome;
  let server: Awaited<ReturnType<typeof startServer>>;
  let cluster: Cluster;
  let klaus: ClusterKlaus;
  let hook: Receiver;
  /** The variables of the cluster, with a user that has a password. */
  let variables: Record<string, string>;
  let workers: Worker[];
  /** Of a worker that cannot reach Temporal, which takes some time. */
  let unreachable: Promise<Ended>;

  const toUrl = (password: string): string => {
    const url = new URL(cluster.variables['KLAUS_CLUSTER_POSTGRES_URL']!);
    return Object.assign(url, { username: 'guarded', password }).href;
  };
  const toHome = (): string => {
    const { home } = stack.use(createTestHome());
    mkdirSync(home, { mode: 0o700 });
    if (existsSync(WORKFLOW_CACHE)) cpSync(WORKFLOW_CACHE, join(home, 'cache'), { recursive: true });
    return home;
  };
  const startWorker = async (): Promise<Worker> => {
    const words = ['worker', '--json', '--slots', String(SLOTS), '--health-port', '0'];
    const process = startKlaus(words, {
      place,
      server,
      env: { ...variables, AGENT_SHUTDOWN_TIMEOUT, KLAUS_HOME: toHome() },
    });
    stack.defer(async () => {
      process.kill('SIGKILL');
      await process.ended;
    });
    await process.printed('stdout', '\n');
    const ready = JSON.parse(process.text.stdout) as { slots: number; health: string; pid: number };
    expect(ready).toMatchObject({ slots: SLOTS, pid: process.pid });
    return { process, url: ready.health };
  };
  const healthOf = async ({ url }: Worker) => {
    const response = await fetch(`${url}/health`);
    return { status: response.status, ...((await response.json()) as { state: string; running: number }) };
  };
  const begin = async (text: string): Promise<string> => {
    const session = await klaus.open();
    await session.prompt(text);
    await cluster.scheduler.wake(session.id, 'command');
    return session.id;
  };
  const countOf = async (session: string, type: 'tool.finished' | 'run.finished'): Promise<number> =>
    (await klaus.store.eventsOf(session, [type])).length;
  const untilDone = async (session: string): Promise<void> => {
    await untilLogged(klaus, session, 'run.finished');
    expect(await klaus.store.eventsOf(session, ['run.finished'])).toMatchObject([{ outcome: 'done' }]);
    expect(await countOf(session, 'tool.finished')).toBe(STEPS + 1);
  };
  /** Until the model was asked for the slow answer this often: requests for titles have no tools. */
  const untilAsked = async (times: number): Promise<void> => {
    const isSlow = (body: string): boolean => body.includes('Answer slowly.') && body.includes('"tools"');
    const count = () => server.requests.filter(({ body }) => isSlow(body)).length;
    await expect.poll(count, { timeout: 30_000, interval: 50 }).toBe(times);
  };
  /** The worker that runs a session now. */
  const findRunning = async (among: readonly Worker[]): Promise<Worker> => {
    let found: Worker | undefined;
    const find = async () => {
      for (const worker of among) if ((await healthOf(worker)).running > 0) found = worker;
      return found;
    };
    await expect.poll(find, { timeout: 30_000, interval: 50 }).toBeDefined();
    return found!;
  };
  const metricOf = async ({ url }: Worker, name: string): Promise<number> => {
    const families = parseExposition(await (await fetch(`${url}/metrics`)).text());
    return families.get(name)?.samples[0]?.value ?? 0;
  };
  const runWrong = (changed: Record<string, string>, words: readonly string[] = []) =>
    runKlaus(['worker', '--json', ...words], {
      place,
      server,
      env: { ...variables, ...changed, KLAUS_HOME: toHome() },
    });

  beforeAll(async () => {
    server = stack.use(await startServer(SCRIPT));
    place = stack.use(createTestHome());
    hook = stack.use(await startReceiver());
    const webhook = { AGENT_WEBHOOK_URL: hook.url };
    cluster = stack.use(await startCluster(place, { env: { ...toEnv({ place, server }), ...webhook } }));
    const { postgres } = cluster;
    const [found] = await postgres.query<{ hba_file: string }>('SHOW hba_file');
    await postgres.query(`CREATE ROLE guarded LOGIN SUPERUSER PASSWORD '${PASSWORD}'`);
    const lines = ["('host all guarded 127.0.0.1/32 scram-sha-256')", "('host all all 127.0.0.1/32 trust')"];
    await postgres.query(`COPY (VALUES ${lines.join(', ')}) TO '${found!.hba_file}'`);
    await postgres.query('SELECT pg_reload_conf()');
    const isRefused = () => postgres.query('SELECT 1', [], toUrl('wrong')).then(...[() => false, () => true]);
    await vi.waitUntil(isRefused, { timeout: 30_000, interval: 50 });
    variables = { ...cluster.variables, ...webhook, KLAUS_CLUSTER_POSTGRES_URL: toUrl(PASSWORD) };
    klaus = await cluster.openNode();
    unreachable = runWrong({ KLAUS_CLUSTER_TEMPORAL_ADDRESS: '127.0.0.1:1' });
    workers = await Promise.all([startWorker(), startWorker()]);
  }, 240_000);
  afterAll(() => stack.disposeAsync(), 60_000);

  test('sessions run on two workers, whose health and metrics show it', { timeout: 120_000 }, async () => {
    for (const worker of workers) {
      expect(await healthOf(worker)).toEqual({
        status: 200,
        state: 'ready',
        unreachable: [],
        slots: SLOTS,
        running: 0,
        draining: false,
      });
    }
    const sessions = await Promise.all(Array.from({ length: 3 }, () => begin('Read it some times.')));
    await findRunning(workers);
    for (const session of sessions) await untilDone(session);
    const counts = await Promise.all(workers.map((worker) => metricOf(worker, 'klaus_runs_total')));
    expect(counts[0]! + counts[1]!).toBe(3);
    expect(await metricOf(workers[0]!, 'klaus_runs_queued')).toBe(0);
    const missing = await fetch(`${workers[0]!.url}/`);
    expect(missing.status).toBe(404);
  });

  test(
    'a webhook of a run on a worker is sent once, by one of the servers',
    { tags: ['long'], timeout: 120_000 },
    async () => {
      const [first] = await Promise.all([cluster.openServer(), cluster.openServer()]);
      const { session } = await first.client.openSession({ body: { text: 'Read it some times.' } });
      await untilDone(session);
      const last = await begin('Read it some times.');
      await untilDone(last);
      const of = (id: string) => hook.received.filter(({ body }) => body.includes(id));
      await expect.poll(() => of(last).length, { timeout: 30_000 }).toBe(1);
      expect(of(session).map(({ body }) => JSON.parse(body) as object)).toMatchObject([
        { type: 'run.finished', session, outcome: 'done' },
      ]);
    },
  );

  test('commands of a session get no secret of the cluster', { timeout: 120_000 }, async () => {
    const session = await begin('Show it.');
    await untilDone(session);
    const [first] = await klaus.store.eventsOf(session, ['tool.finished']);
    expect(first).toMatchObject({ name: 'run_command', outcome: 'ok' });
    const output = JSON.stringify(first);
    expect(output).toContain('PATH=');
    for (const name of Object.keys(cluster.variables)) expect(output).not.toContain(name);
    expect(output).not.toContain(PASSWORD);
  });

  test('a worker that gets SIGTERM gives its session to the other one and ends', { timeout: 120_000 }, async () => {
    const session = await begin('Read it some times.');
    const stopped = await findRunning(workers);
    const other = workers.find((worker) => worker !== stopped)!;
    const before = await metricOf(other, 'klaus_runs_total');
    await untilLogged(klaus, session, 'tool.finished');
    stopped.process.kill('SIGTERM');
    expect(await stopped.process.ended).toMatchObject({ code: 0, signal: null });
    await untilDone(session);
    expect(await metricOf(other, 'klaus_runs_total')).toBe(before + 1);
    workers = [other];
  });

  test.each(['postgres', 'temporal'] as const)(
    'a worker without %s says so, and recovers',
    { timeout: 120_000 },
    async (service) => {
      const [worker] = workers as [Worker];
      const { crash, start } = {
        postgres: { crash: () => cluster.postgres.crash(), start: () => cluster.postgres.start() },
        temporal: { crash: () => cluster.engine.kill(), start: () => cluster.engine.restart() },
      }[service];
      const state = async () => (await healthOf(worker)).state;
      const lines = () => worker.process.text.stderr.split('\n').filter((line) => line.includes('a service'));
      const before = lines().length;
      await crash();
      await expect.poll(state, { timeout: 30_000, interval: 200 }).toBe('unreachable');
      expect(await healthOf(worker)).toMatchObject({ status: 503, unreachable: [service] });
      await expect.poll(() => lines().length, { timeout: 30_000 }).toBe(before + 1);
      await start();
      await expect.poll(state, { timeout: 30_000, interval: 200 }).toBe('ready');
      await expect.poll(() => lines().length, { timeout: 30_000 }).toBe(before + 2);
      expect(lines().slice(before)).toEqual([expect.stringContaining(service), expect.stringContaining(service)]);
    },
  );

  test(
    'a step that does not end delays neither a second signal nor the end of the shutdown',
    { tags: ['long'], timeout: 120_000 },
    async () => {
      const own = await startWorker();
      const session = await begin('Answer slowly.');
      const both = [...workers, own];
      await untilAsked(1);
      const stopped = await findRunning(both);
      stopped.process.kill('SIGTERM');
      await expect
        .poll(async () => (await healthOf(stopped)).state, { timeout: 30_000, interval: 20 })
        .toBe('draining');
      expect(await healthOf(stopped)).toMatchObject({ status: 503, slots: SLOTS, running: 1, draining: true });
      stopped.process.kill('SIGTERM');
      expect(await stopped.process.ended).toMatchObject({ code: 130 });
      await untilAsked(2);
      const last = await findRunning(both.filter((worker) => worker !== stopped));
      last.process.kill('SIGTERM');
      expect(await last.process.ended).toMatchObject({ code: 0, signal: null });
      expect(await countOf(session, 'run.finished')).toBe(0);
    },
  );

  test(
    'what is missing, wrong or unreachable is named with its setting',
    { tags: ['long'], timeout: 120_000 },
    async () => {
      const toFailure = async (ended: Promise<Ended>) => {
        const { code, stdout, stderr } = await ended;
        expect({ code, stdout, stderr }).toEqual({
          code: expect.any(Number),
          stdout: '',
          stderr: expect.stringContaining('{"error"'),
        });
        expect(stderr).not.toContain(PASSWORD);
        const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!) as {
          error: { code: string; message: string; hint?: string };
        };
        return { exit: code, code: error.code, text: `${error.message} ${error.hint}` };
      };
      const [missing, password, address, bucket, port] = await Promise.all(
        [
          runWrong({ KLAUS_CLUSTER_BUCKET: '' }),
          runWrong({ KLAUS_CLUSTER_POSTGRES_URL: toUrl('wrong-password') }),
          unreachable,
          runWrong({ KLAUS_CLUSTER_BUCKET: 'no-such-bucket' }),
          runWrong({}, ['--health-port', new URL(server.url).port]),
        ].map(toFailure),
      );
      const named = (name: string) => expect.stringContaining(`\`${name}\``) as string;
      expect(missing).toEqual({ exit: 3, code: 'config', text: named('KLAUS_CLUSTER_BUCKET') });
      expect(password).toEqual({ exit: 3, code: 'config', text: named('KLAUS_CLUSTER_POSTGRES_URL') });
      expect(password!.text).not.toContain('wrong-password');
      expect(address).toEqual({ exit: 1, code: 'scheduler.failed', text: named('KLAUS_CLUSTER_TEMPORAL_ADDRESS') });
      expect(bucket).toEqual({ exit: 3, code: 'config', text: named('KLAUS_CLUSTER_BUCKET') });
      expect(port).toMatchObject({ exit: 2, code: 'usage' });
    },
  );
});
