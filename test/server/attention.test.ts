// Covers apps/server/handlers, apps/server/streams, adapters/store/sqlite/queries: what needs the user, over HTTP.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { followHost, isProblemError } from '@klaus/server/client';
import type { AttentionListView } from '@klaus/server/contract';
import { expect, test } from 'vitest';
import { runKlaus } from '../fixtures/klaus.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

const WRITE: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { turn: 0 }, reply: { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'new\n' } }] } },
    { when: { turn: 1 }, reply: { text: 'It is written.' } },
  ],
};

/** Follows the list of what needs the user. `until` resolves with the first list, also an earlier one, that matches. */
function followList({ client }: TestServer) {
  const end = new AbortController();
  const lists: AttentionListView[] = [];
  const looks = new Set<() => void>();
  const ignore = () => {};
  const ended = followHost(client, {
    onSnapshot: ignore,
    onSession: ignore,
    onRemoved: ignore,
    onAttention(list) {
      lists.push(list);
      for (const look of looks) look();
    },
    signal: end.signal,
  });
  return {
    until: (matches: (list: AttentionListView) => boolean) =>
      new Promise<AttentionListView>((resolve) => {
        const look = () => {
          if (lists.length > 0 && matches(lists.at(-1)!)) resolve(lists.at(-1)!);
        };
        looks.add(look);
        look();
      }),
    async stop() {
      end.abort();
      await ended;
    },
  };
}

test('the stream of the list reports an approval, then the finished run, then that it was seen', async () => {
  await using it = await startTestServer({ script: WRITE });
  const { client, klaus } = it;
  const list = followList(it);
  await list.until(({ items }) => items.length === 0);
  const { session } = await client.openSession({ body: { text: 'write', mode: 'ask' } });
  const asked = await list.until(({ counts }) => counts.answer === 1);
  expect(asked.items).toMatchObject([{ kind: 'call', session, child: null, seq: null, action: 'answer' }]);
  expect(await client.attention()).toEqual(asked);
  await client.answer({ params: { id: asked.items[0]!.id }, body: { answer: 'approved' } });
  const done = await list.until(({ counts }) => counts.done === 1);
  expect(done.items).toMatchObject([{ kind: 'done', session, line: 'It is written.', action: 'look' }]);
  expect(done.counts).toEqual({ answer: 0, failed: 0, done: 1 });

  // The end of the run was not seen yet at the event before it.
  const { seq } = done.items[0]!;
  expect(await client.markSeen({ params: { id: session }, body: { seq: seq! - 1 } })).toEqual({
    session,
    seq: seq! - 1,
  });
  expect((await client.attention()).items).toHaveLength(1);
  const last = (await client.session({ params: { id: session } })).lastSeq;
  expect(await client.markSeen({ params: { id: session.slice(0, 20) }, body: { seq: 1_000_000 } })).toEqual({
    session,
    seq: last,
  });
  await list.until(({ items }) => items.length === 0);
  await list.stop();
  expect(await klaus.store.attention()).toEqual({ items: [], counts: { answer: 0, failed: 0, done: 0 } });
  const unknown = await client.markSeen({ params: { id: 'none' }, body: {} }).catch((error: unknown) => error);
  expect(isProblemError(unknown) && unknown.problem.status).toBe(404);
});

test('a mark by another process reaches the stream', async () => {
  await using it = await startTestServer();
  const { client, place, model } = it;
  const list = followList(it);
  const { session } = await client.openSession({ body: { text: 'say it' } });
  await list.until(({ counts }) => counts.done === 1);
  expect(await runKlaus(['show', session], { place, server: model })).toMatchObject({ code: 0 });
  await list.until(({ counts }) => counts.done === 0);
  await list.stop();
});

test('of several programs that claim a notification at the same time, one gets it', async () => {
  await using it = await startTestServer();
  const { client, klaus } = it;
  const claims = await Promise.all([
    ...Array.from({ length: 5 }, () =>
      client.claimNotification({ body: { item: 'A' } }).then(({ claimed }) => claimed),
    ),
    klaus.store.claimNotification('A'),
  ]);
  expect(claims.filter(Boolean)).toHaveLength(1);
});

test('a session that the server cannot run is listed with the reason, until it runs', async () => {
  await using it = await startTestServer({ files: { 'part/a.txt': 'a\n' } });
  const { client, place } = it;
  const workspace = join(place.workspace, 'part');
  const { session } = await client.openSession({ body: { workspace } });
  rmSync(workspace, { recursive: true });
  const list = followList(it);
  await client.sendPrompt({ params: { id: session }, body: { text: 'say it' } });
  const blocked = await list.until(({ items }) => items.some(({ kind }) => kind === 'blocked'));
  expect(blocked.items).toMatchObject([
    { session, seq: null, action: 'resume', line: expect.stringContaining('part') },
  ]);
  expect(blocked.counts).toEqual({ answer: 0, failed: 1, done: 0 });
  mkdirSync(workspace);
  // The message that waits begins its first run.
  await client.resume({ params: { id: session }, body: {} });
  await list.until(({ counts }) => counts.failed === 0 && counts.done === 1);
  await list.stop();
});
