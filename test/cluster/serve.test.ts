// Covers sdk/cluster, apps/server/runs, apps/server/streams, adapters/store/postgres: servers of a cluster, whose sessions run on a worker.
import { followHost } from '@klaus/server/client';
import type { SessionView } from '@klaus/server/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, toEnv } from '../fixtures/klaus.ts';
import { follow } from '../fixtures/server.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { startCluster, WITHOUT_CLUSTER, type Cluster, type ServerNode } from './cluster.ts';

const timeout = 120_000;
const TITLE = { when: { tools: false }, reply: { text: 'A title' } };
const SCRIPT = {
  steps: [
    TITLE,
    {
      when: { turn: 0 },
      reply: { text: 'I write.', calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'a\n' } }] },
    },
    { when: { turn: 1 }, pace: 20, chunk: 10, reply: { text: { repeat: 'written ', times: 40 } } },
    { reply: { text: 'Again.' } },
  ],
};

describe.skipIf(WITHOUT_CLUSTER !== undefined)(
  `servers of a cluster${WITHOUT_CLUSTER ? `: ${WITHOUT_CLUSTER}` : ''}`,
  () => {
    const stack = new AsyncDisposableStack();
    let cluster: Cluster;
    let nodes: ServerNode[];

    beforeAll(async () => {
      const server = stack.use(await startServer(SCRIPT));
      const place = stack.use(createTestHome());
      const settings = { requirePatchApproval: true };
      cluster = stack.use(await startCluster(place, { env: toEnv({ place, server }), settings }));
      nodes = await Promise.all([cluster.openServer(), cluster.openServer()]);
      await cluster.startWorker();
    }, 240_000);
    afterAll(() => stack.disposeAsync(), 60_000);

    test('a session is opened on one server, approved and followed on the other', { timeout }, async () => {
      const [first, second] = nodes;
      const listed: SessionView[] = [];
      const quit = new AbortController();
      const list = followHost(first!.client, {
        signal: quit.signal,
        onSnapshot: (sessions) => void listed.push(...sessions),
        onSession: (view) => void listed.push(view),
        onRemoved: () => {},
      });
      const { session } = await first!.client.openSession({ body: { text: 'Write it.' } });
      const followed = follow(second!.client, session);
      await followed.until('approval.asked');
      const { approvals } = await second!.client.approvals();
      expect(approvals.map((it) => it.session)).toEqual([session]);
      const isShown = (state: SessionView['state']): boolean =>
        listed.some((it) => it.id === session && it.state === state);
      await expect.poll(() => isShown('needs-you'), { timeout: 30_000 }).toBe(true);
      await second!.client.answer({ params: { id: approvals[0]!.id }, body: { answer: 'approved' } });
      await followed.until('run.finished');
      await followed.stop();

      const all = (await Array.fromAsync(first!.klaus.store.read(session))).flat();
      expect(followed.events).toEqual(all.slice(0, followed.events.length));
      expect(all.findLast(({ type }) => type === 'run.finished')).toMatchObject({ outcome: 'done' });
      await expect.poll(() => listed.findLast(({ id }) => id === session)?.state, { timeout: 30_000 }).toBe('done');
      quit.abort();
      await list;
    });

    test('a client whose server stops continues at another one', { timeout }, async () => {
      const [first] = nodes;
      const leaving = await cluster.openServer();
      const { session } = await leaving.client.openSession({ body: { text: 'Write it.' } });
      const before = follow(leaving.client, session);
      await before.until('approval.asked');
      await leaving.server.close();
      const seq = before.events.at(-1)!.seq;
      await before.stop();
      const after = follow(first!.client, session, seq);
      const { approvals } = await first!.client.approvals();
      await first!.client.answer({ params: { id: approvals[0]!.id }, body: { answer: 'approved' } });
      await after.until('run.finished');
      await after.stop();
      const seqs = [...before.events, ...after.events].map((event) => event.seq);
      expect(seqs).toEqual(seqs.map((_, at) => at + 1));
    });

    test('a cancel request on a server ends the run on the worker', { timeout }, async () => {
      const [first, second] = nodes;
      const { session } = await first!.client.openSession({ body: { text: 'Write it.' } });
      const followed = follow(second!.client, session);
      await followed.until('approval.asked');
      await second!.client.cancel({ params: { id: session }, body: {} });
      await followed.until('run.finished');
      await followed.stop();
      const finished = followed.events.findLast(({ type }) => type === 'run.finished');
      expect(finished).toMatchObject({ outcome: 'cancelled' });
      await expect.poll(() => first!.client.runs()).toMatchObject({ limit: 0, queued: [] });
    });
  },
);
