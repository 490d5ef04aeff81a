import { followSession } from '@klaus/server/client';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createConversation, foldConversation } from '../../apps/web/log/conversation.ts';
import { createLive, settleLive, takeLive } from '../../apps/web/log/live-text.ts';
import { startServer } from '../fixtures/klaus.ts';
import { createPlace } from '../fixtures/place.ts';
import { startServeProcess } from '../fixtures/server.ts';

const TURNS = 45;
const KILLS = 4;

/** Many turns that read, and one session that asks and waits meanwhile. */
const SCRIPT: Script = {
  steps: [
    {
      when: { user: 'ask me' },
      reply: { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'x\n' } }] },
    },
    ...Array.from({ length: TURNS }, (_, turn) => ({
      when: { user: 'read on', turn },
      reply: { text: `Turn ${turn}.`, calls: [{ name: 'read_file', input: { path: 'README.md' } }] },
    })),
    { when: { user: 'read on', turn: TURNS }, reply: { text: 'That was all.' } },
  ],
};

/** Milliseconds for the starts of the server, on a machine that may have other work. */
const LIMIT = 120_000;

test(
  'over a server that is killed again and again the page is the fold of the log, and the question still there',
  { timeout: LIMIT },
  async () => {
    using place = createPlace();
    await using model = await startServer(SCRIPT);
    const words = ['--approve', 'ask', '--max-turns', '0', '--budget-tokens', '0', '--budget-usd', '0'];
    let serving = await startServeProcess(place, model, { words });
    const quit = new AbortController();
    try {
      const asking = await serving.client.openSession({ body: { text: 'ask me' } });
      const { session } = await serving.client.openSession({ body: { text: 'read on' } });
      const view = createConversation(session);
      const live = createLive();
      const seqs: number[] = [];
      const watchers = new Set<() => void>();
      const until = (isSo: () => boolean) =>
        new Promise<void>((resolve) => {
          const look = () => {
            if (!isSo()) return;
            watchers.delete(look);
            resolve();
          };
          watchers.add(look);
          look();
        });
      const followed = followSession(serving.client, {
        session,
        signal: quit.signal,
        onEvent(event) {
          seqs.push(event.seq);
          foldConversation(view, event);
          settleLive(live, event);
          for (const watcher of watchers) watcher();
        },
        onLive: (piece) => takeLive(live, piece),
      });
      for (let kill = 1; kill <= KILLS; kill++) {
        const from = view.turn;
        await until(() => view.turn >= from + 5 || view.lastOutcome !== undefined);
        serving.process.kill('SIGKILL');
        await serving.process.ended;
        const port = new URL(serving.url).port;
        serving = await startServeProcess(place, model, { words: [...words, '--port', port] });
      }
      await until(() => view.lastOutcome !== undefined);
      const fresh = createConversation(session);
      for (let last = 0, after = 0; after < view.seq; after = last) {
        const { events } = await serving.client.log({ params: { id: session }, query: { after } });
        for (const event of events) foldConversation(fresh, event);
        last = events.at(-1)!.seq;
      }
      expect(view).toEqual(fresh);
      expect(seqs).toEqual(seqs.map((_, at) => at + 1));
      expect(view.lastOutcome).toBe('done');
      expect([live.messages.size, live.calls.size]).toEqual([0, 0]);
      expect(view.entries.filter(({ kind }) => kind === 'call').length).toBe(TURNS);

      const { approvals } = await serving.client.approvals({ query: { session: asking.session } });
      expect(approvals.length).toBe(1);
      await serving.client.answer({ params: { id: approvals[0]!.id }, body: { answer: 'rejected' } });
      quit.abort();
      await followed;
    } finally {
      quit.abort();
      serving.process.kill('SIGKILL');
      await serving.process.ended;
    }
  },
);
