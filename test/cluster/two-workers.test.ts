// Covers sdk/cluster, adapters/scheduler/temporal, adapters/store/postgres, adapters/objects: sessions on two workers, one of which is killed.
import type { ChildProcess } from 'node:child_process';
import type { ClusterKlaus } from '@klaus/sdk/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { untilLogged } from '../fixtures/engine.ts';
import { startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { endWorker, startCluster, WITHOUT_CLUSTER, type Cluster } from './cluster.ts';

/** Steps of one run: each reads the file, and the answer to each comes after some time. */
const STEPS = 6;
const LOOK = {
  delay: 300,
  reply: { text: 'I look.', calls: [{ name: 'read_file', input: { path: 'README.md' } }] },
};
const SCRIPT = { steps: [...Array.from({ length: STEPS }, () => LOOK), { reply: { text: 'Done.' } }] };

describe.skipIf(WITHOUT_CLUSTER !== undefined)(`two workers${WITHOUT_CLUSTER ? `: ${WITHOUT_CLUSTER}` : ''}`, () => {
  const stack = new AsyncDisposableStack();
  let cluster: Cluster;
  let klaus: ClusterKlaus;
  let workers: ChildProcess[];

  beforeAll(async () => {
    const server = stack.use(await startServer(SCRIPT));
    const place = stack.use(createTestHome());
    cluster = stack.use(await startCluster(place, { env: toEnv({ place, server }) }));
    klaus = await cluster.openNode();
    workers = await Promise.all([cluster.startWorker(), cluster.startWorker()]);
  }, 240_000);
  afterAll(() => stack.disposeAsync(), 60_000);

  const open = async (): Promise<string> => {
    const session = await klaus.open();
    await session.prompt('Read it some times.');
    return session.id;
  };
  const begin = async (): Promise<string> => {
    const session = await open();
    await cluster.scheduler.wake(session, 'command');
    return session;
  };
  const countOf = async (session: string, type: 'tool.finished' | 'run.finished'): Promise<number> =>
    (await klaus.store.eventsOf(session, [type])).length;

  test('sessions end, although a worker is killed in the middle of its runs', { timeout: 240_000 }, async () => {
    const sessions = await Promise.all(Array.from({ length: 4 }, begin));
    await untilLogged(klaus, sessions[0]!, 'tool.finished', 2);
    await endWorker(workers[0]!, 'SIGKILL');
    for (const session of sessions) {
      await untilLogged(klaus, session, 'run.finished');
      const [finished] = await klaus.store.eventsOf(session, ['run.finished']);
      expect(finished).toMatchObject({ outcome: 'done' });
      expect(await klaus.store.verify(session)).toMatchObject({ intact: true });
      const calls = await klaus.store.eventsOf(session, ['tool.finished']);
      expect(new Set(calls.map(({ call }) => call)).size).toBe(calls.length);
      expect(calls.length).toBe(STEPS);
    }
    expect(await klaus.store.audit()).toMatchObject({ intact: true });
  });

  test('a command whose wake was lost is found by the sweep of a worker', { timeout: 120_000 }, async () => {
    const session = await open();
    await untilLogged(klaus, session, 'run.finished');
    expect(await countOf(session, 'run.finished')).toBe(1);
  });

  test('a worker that drains gives its sessions to another one', { timeout: 120_000 }, async () => {
    const session = await begin();
    await untilLogged(klaus, session, 'tool.finished');
    await cluster.startWorker();
    await endWorker(workers[1]!, 'SIGTERM');
    await untilLogged(klaus, session, 'run.finished');
    expect(await countOf(session, 'tool.finished')).toBe(STEPS);
  });
});
