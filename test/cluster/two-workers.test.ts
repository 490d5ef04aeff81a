// Covers sdk/cluster, adapters/scheduler/temporal, adapters/store/postgres, adapters/objects: sessions on two workers, one of which is killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createModelServer } from '@klaus/adapters/models';
import { createClusterKlaus, type ClusterKlaus } from '@klaus/sdk/cluster';
import { openTemporalScheduler, type TemporalScheduler } from '@klaus/sdk/scheduler';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { provideSeaweed, startS3Server } from '../../adapters/objects/fixtures/s3-server.ts';
import {
  provideTemporal,
  startTemporal,
  WORKFLOW_CACHE,
} from '../../adapters/scheduler/temporal/temporal-server.fixture.ts';
import { findPostgres, startPostgres } from '../../adapters/store/fixtures/postgres-server.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { toOptions, type ClusterOrder } from './cluster-order.ts';

const seaweed = provideSeaweed();
const temporal = provideTemporal();
const reason = seaweed.reason ?? temporal.reason ?? (findPostgres() ? undefined : 'Postgres is not installed');
const PROGRAM = join(import.meta.dirname, 'worker-process.ts');
/** Steps of one run: each reads the file, and the answer to each comes after some time. */
const STEPS = 6;

describe.skipIf(reason !== undefined)(`two workers${reason === undefined ? '' : `: ${reason}`}`, () => {
  const stack = new AsyncDisposableStack();
  let order: ClusterOrder;
  let klaus: ClusterKlaus;
  let scheduler: TemporalScheduler;
  const workers: ChildProcess[] = [];

  const startWorker = async (): Promise<ChildProcess> => {
    const place = stack.use(createTestHome());
    const own: ClusterOrder = { ...order, home: place.home, env: place.env };
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(own)], { stdio: ['ignore', 'pipe', 'inherit'] });
    workers.push(child);
    await once(child.stdout!, 'data');
    return child;
  };
  const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  };

  beforeAll(async () => {
    const [postgres, s3, engine] = await Promise.all([
      startPostgres(),
      startS3Server(seaweed.program!),
      startTemporal(temporal.program!),
    ]);
    for (const server of [postgres, s3, engine]) stack.use(server);
    const steps = Array.from({ length: STEPS }, () => ({
      delay: 300,
      reply: { text: 'I look.', calls: [{ name: 'read_file', input: { path: 'README.md' } }] },
    }));
    const script = {
      steps: [{ when: { tools: false }, reply: { text: 'A title' } }, ...steps, { reply: { text: 'Done.' } }],
    };
    const model = await createModelServer({ script });
    stack.defer(() => model.close());
    const place = stack.use(createTestHome());
    order = {
      database: await postgres.createDatabase(),
      bucket: await s3.createBucket(),
      engine: engine.address,
      cache: WORKFLOW_CACHE,
      model: model.url,
      home: place.home,
      workspace: place.workspace,
      env: place.env,
    };
    klaus = await createClusterKlaus(toOptions(order));
    stack.defer(() => klaus.close());
    scheduler = stack.use(await openTemporalScheduler({ address: order.engine, cacheFolder: order.cache }));
    await Promise.all([startWorker(), startWorker()]);
  }, 240_000);
  afterAll(async () => {
    await Promise.all(workers.map((child) => end(child, 'SIGKILL')));
    await stack.disposeAsync();
  }, 60_000);

  const begin = async (): Promise<string> => {
    const session = await klaus.open();
    await session.prompt('Read it some times.');
    await scheduler.wake(session.id, 'command');
    return session.id;
  };
  const countOf = async (session: string, type: 'tool.finished' | 'run.finished'): Promise<number> =>
    (await klaus.store.eventsOf(session, [type])).length;

  test(
    'sessions end on two workers, one of which is killed in the middle of its runs',
    { timeout: 240_000 },
    async () => {
      const sessions = await Promise.all(Array.from({ length: 4 }, begin));
      await expect.poll(() => countOf(sessions[0]!, 'tool.finished'), { timeout: 60_000 }).toBeGreaterThan(1);
      await end(workers[0]!, 'SIGKILL');
      for (const session of sessions) {
        await expect.poll(() => countOf(session, 'run.finished'), { timeout: 120_000 }).toBe(1);
        const [finished] = await klaus.store.eventsOf(session, ['run.finished']);
        expect(finished).toMatchObject({ outcome: 'done' });
        expect(await klaus.store.verify(session)).toMatchObject({ intact: true });
        const calls = await klaus.store.eventsOf(session, ['tool.finished']);
        expect(new Set(calls.map(({ call }) => call)).size).toBe(calls.length);
        expect(calls.length).toBe(STEPS);
      }
      expect(await klaus.store.audit()).toMatchObject({ intact: true });
    },
  );

  test('a command whose wake was lost is found by the sweep of a worker', { timeout: 120_000 }, async () => {
    const session = await klaus.open();
    await session.prompt('Read it some times.');
    await expect.poll(() => countOf(session.id, 'run.finished'), { timeout: 60_000 }).toBe(1);
  });

  test('a worker that drains gives its sessions to another one', { timeout: 120_000 }, async () => {
    const session = await begin();
    await expect.poll(() => countOf(session, 'tool.finished'), { timeout: 60_000 }).toBeGreaterThan(0);
    await startWorker();
    await end(workers[1]!, 'SIGTERM');
    await expect.poll(() => countOf(session, 'run.finished'), { timeout: 60_000 }).toBe(1);
    expect(await countOf(session, 'tool.finished')).toBe(STEPS);
  });
});
