// Covers apps/server/runs, apps/server/streams, adapters/store/postgres: what a server shows of sessions that wait for a worker.
import type { SessionView } from '@klaus/server/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, toEnv } from '../fixtures/klaus.ts';
import { untilSession, untilState } from '../fixtures/server.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { startCluster, WITHOUT_CLUSTER, type Cluster, type ServerNode } from './cluster.ts';

describe.skipIf(WITHOUT_CLUSTER !== undefined)(
  `sessions that wait for a worker${WITHOUT_CLUSTER ? `: ${WITHOUT_CLUSTER}` : ''}`,
  () => {
    const stack = new AsyncDisposableStack();
    let cluster: Cluster;
    let node: ServerNode;

    beforeAll(async () => {
      const server = stack.use(await startServer({ steps: [{ reply: { text: 'Done.' } }] }));
      const place = stack.use(createTestHome());
      cluster = stack.use(await startCluster(place, { env: toEnv({ place, server }) }));
      node = await cluster.openServer();
    }, 240_000);
    afterAll(() => stack.disposeAsync(), 60_000);

    test(
      'they have positions, then the reason why a worker refused, and then their answers',
      { timeout: 120_000 },
      async () => {
        const ids: string[] = [];
        // Its beginning must not end within an emoji.
        const long = `One ${'😀'.repeat(250)}`;
        for (const text of [long, 'Two', 'Three'])
          ids.push((await node.client.openSession({ body: { text } })).session);
        const [first, second, third] = ids as [string, string, string];
        const isQueued = ({ state }: SessionView) => state === 'queued';
        await untilSession(node.client, third, (view) => isQueued(view) && view.position === 3);
        expect(await node.client.session({ params: { id: first } })).toMatchObject({ position: 1, problem: null });
        // Its prompt is not in the log yet.
        const firstPrompt = Array.from(long).slice(0, 200).join('');
        expect(await node.client.session({ params: { id: first } })).toMatchObject({ firstPrompt, lastSeq: 1 });
        expect((await node.client.settings({ query: {} })).canMoveQueued).toBe(false);
        expect((await node.client.runs()).queued.map(({ session }) => session)).toEqual(ids);
        const moving = node.client.moveQueued({ params: { id: third }, body: { position: 1 } });
        await expect(moving).rejects.toMatchObject({ problem: { code: 'usage' } });

        const problem = { worker: 'W', code: 'config', message: 'The model is not known.', hint: 'Add its provider.' };
        await node.klaus.store.administration.reportProblem(first, problem);
        const refused = await untilSession(node.client, first, (view) => view.problem !== null);
        expect(refused).toMatchObject({ position: null, problem: `${problem.message} ${problem.hint}` });
        await untilSession(node.client, second, (view) => isQueued(view) && view.position === 1);
        const { items } = await node.client.attention({ query: {} });
        expect(items.filter(({ kind }) => kind === 'blocked').map(({ session }) => session)).toEqual([first]);

        await cluster.startWorker();
        for (const id of ids) {
          await untilState(node.client, id, 'done');
          // The server notices a moment later that the worker has taken it.
          await untilSession(node.client, id, (view) => view.position === null && view.problem === null);
        }
        expect((await node.client.runs()).queued).toEqual([]);
        expect(await node.client.session({ params: { id: first } })).toMatchObject({ firstPrompt });
      },
    );
  },
);
