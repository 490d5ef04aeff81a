// Covers sdk/cluster, apps/cli/commands/admin: a worker that loses Postgres alone gives its sessions to another one.
import type { ChildProcess } from 'node:child_process';
import type { ClusterKlaus } from '@klaus/sdk/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { untilLogged } from '../fixtures/engine.ts';
import { runKlaus, startServer, toEnv } from '../fixtures/klaus.ts';
import { startProxy, type Proxy } from '../fixtures/proxy.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { endWorker, startCluster, WITHOUT_CLUSTER, type Cluster } from './cluster.ts';

/** Steps of one run: each reads the file, and the answer to each comes after some time. */
const STEPS = 25;
const LOOK = { delay: 300, reply: { text: 'I look.', calls: [{ name: 'read_file', input: { path: 'README.md' } }] } };
const SCRIPT = { steps: [...Array.from({ length: STEPS }, () => LOOK), { reply: { text: 'Done.' } }] };
const TIMES = 5;

describe.skipIf(WITHOUT_CLUSTER !== undefined)(
  `a worker without Postgres${WITHOUT_CLUSTER ? `: ${WITHOUT_CLUSTER}` : ''}`,
  { tags: ['long'] },
  () => {
    const stack = new AsyncDisposableStack();
    let place: TestHome;
    let cluster: Cluster;
    let klaus: ClusterKlaus;
    let proxy: Proxy;
    let cut: ChildProcess;
    let other: ChildProcess | undefined;

    beforeAll(async () => {
      const server = stack.use(await startServer(SCRIPT));
      place = stack.use(createTestHome());
      cluster = stack.use(await startCluster(place, { env: toEnv({ place, server }) }));
      klaus = await cluster.openNode();
      const url = new URL(cluster.database);
      proxy = stack.use(await startProxy(Number(url.port)));
      url.port = String(proxy.port);
      cut = await cluster.startWorker({ database: url.href });
    }, 240_000);
    afterAll(() => stack.disposeAsync(), 60_000);

    const begin = async (): Promise<string> => {
      const session = await klaus.open();
      await session.prompt('Read it some times.');
      await cluster.scheduler.wake(session.id, 'command');
      await untilLogged(klaus, session.id, 'tool.finished');
      return session.id;
    };
    const stuck = async (): Promise<{ id: string; reason: string }[]> => {
      const env = { ...cluster.variables, KLAUS_HOME: place.home };
      const { stdout } = await runKlaus(['admin', 'sessions', '--state', 'stuck', '--json'], { place, env });
      return (JSON.parse(stdout) as { sessions: { id: string; reason: string }[] }).sessions;
    };

    test('its sessions are stuck while no other worker runs', { timeout: 120_000 }, async () => {
      const session = await begin();
      const connect = await proxy.drop('stall');
      await expect.poll(stuck, { timeout: 30_000 }).toMatchObject([{ id: session, reason: 'worker' }]);
      other = await cluster.startWorker();
      await untilLogged(klaus, session, 'run.finished');
      await connect();
      expect(await klaus.store.verify(session)).toMatchObject({ intact: true });
    });

    test.each(Array.from({ length: TIMES }, (_, index) => index + 1))(
      'another worker continues them while it is cut off (time %s)',
      { timeout: 120_000 },
      async () => {
        // Only the worker that is cut off takes the session.
        if (other) await endWorker(other, 'SIGTERM');
        const session = await begin();
        other = await cluster.startWorker();
        const fence = await klaus.store.fenceOf(session);
        const connect = await proxy.drop('stall');
        await expect.poll(() => klaus.store.fenceOf(session), { timeout: 60_000, interval: 50 }).toBeGreaterThan(fence);
        await untilLogged(klaus, session, 'run.finished');
        await connect();
        const [finished] = await klaus.store.eventsOf(session, ['run.finished']);
        expect(finished).toMatchObject({ outcome: 'done' });
        expect(await klaus.store.verify(session)).toMatchObject({ intact: true });
        expect(await klaus.store.eventsOf(session, ['tool.finished'])).toHaveLength(STEPS);
        expect(cut.exitCode).toBeNull();
      },
    );
  },
);
