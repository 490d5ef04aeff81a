// Covers sdk/cluster, adapters/scheduler/temporal, adapters/store/postgres: a cluster whose workers, engine and database fail.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { checkSessions } from './chaos/checks.ts';
import { answerAll, sendAll } from './chaos/clients.ts';
import { startChaos } from './chaos/faults.ts';
import { WITHOUT_NAMESPACES } from './chaos/worker-network.ts';
import { startCluster, WITHOUT_CLUSTER } from './cluster.ts';

/** `CLUSTER_SESSIONS=100 CLUSTER_COMMANDS=20 CLUSTER_SECONDS=180 CLUSTER_IDLE_SECONDS=60 CLUSTER_SEED=7`. */
const SESSIONS = Number(process.env['CLUSTER_SESSIONS'] ?? 20);
const COMMANDS = Number(process.env['CLUSTER_COMMANDS'] ?? 5);
const SECONDS = Number(process.env['CLUSTER_SECONDS'] ?? 60);
const SEED = Number(process.env['CLUSTER_SEED'] ?? 1);
const WORKERS = 3;
/** Most seconds until all sessions are idle after the last fault: three times the bar, beside other tests. */
const IDLE_SECONDS = Number(process.env['CLUSTER_IDLE_SECONDS'] ?? 180);

const call = (name: string) => [{ name, input: { key: '{{user}}' } }];
const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { result: '' }, reply: { text: 'Done.' } },
    { when: { user: '^ask' }, reply: { text: 'I ask.', calls: call('asked_effect') } },
    { when: { user: '^do' }, reply: { text: 'I do.', calls: call('record_effect') } },
  ],
};
const POLICY = 'rules:\n  - ask: { tool: asked_effect }\n    reason: a person decides\n';

const WITHOUT = WITHOUT_CLUSTER ?? WITHOUT_NAMESPACES;

describe.skipIf(WITHOUT !== undefined)(`chaos${WITHOUT ? `: ${WITHOUT}` : ''}`, () => {
  const timeout = (SECONDS * 3 + IDLE_SECONDS + 240) * 1_000;

  test('faults lose nothing, repeat nothing and stop nothing', { timeout }, async () => {
    using place = createTestHome();
    mkdirSync(join(place.workspace, '.klaus'), { recursive: true });
    writeFileSync(join(place.workspace, '.klaus/policy.yaml'), POLICY);
    const effects = join(place.workspace, 'effects.txt');
    writeFileSync(effects, '');
    await using model = await startServer(SCRIPT);
    await using cluster = await startCluster(place, { env: toEnv({ place, server: model }), effects });
    const nodes = await Promise.all([cluster.openNode(), cluster.openNode()]);
    const { scheduler } = cluster;
    await using chaos = await startChaos(cluster, WORKERS);
    const quit = new AbortController();
    const answering = nodes.map((node) => answerAll(node, { scheduler, signal: quit.signal }));
    const clients = { nodes, scheduler, sessions: SESSIONS, commands: COMMANDS, seconds: SECONDS * 0.8, seed: SEED };
    const begun = Date.now();
    const sending = sendAll(clients).then((sent) => ({ sent, sendSeconds: (Date.now() - begun) / 1_000 }));
    const [{ sent, sendSeconds }] = await Promise.all([sending, chaos.run(SECONDS)]);

    const ended = Date.now();
    const { store } = nodes[0]!;
    /** What is left to do in each session that is not idle. */
    const listBusy = async (): Promise<string[]> => {
      const busy: string[] = [];
      for (const session of sent.keys()) {
        const [inbox, row, isClaimed] = [
          await store.inbox(session),
          await store.session(session),
          await store.isClaimed(session),
        ];
        // A session that waits for an answer continues soon.
        if (inbox.length > 0 || row?.status !== 'idle' || isClaimed)
          busy.push(`${session}: ${inbox.length} commands, ${row?.status}, ${isClaimed ? 'held' : 'free'}`);
      }
      return busy;
    };
    try {
      await expect.poll(listBusy, { timeout: IDLE_SECONDS * 1_000, interval: 500 }).toEqual([]);
    } finally {
      quit.abort();
      await Promise.all(answering);
    }
    const idleSeconds = (Date.now() - ended) / 1_000;

    const sums = await checkSessions(nodes[1]!, { sent, effects });
    console.log(JSON.stringify({ sessions: sent.size, ...sums, faults: chaos.counts, sendSeconds, idleSeconds }));
    // No claim was over a live holder.
    expect(chaos.problems.filter(({ code, message }) => code === 'store.busy' && /taken over/.test(message))).toEqual(
      [],
    );
    expect(Object.keys(chaos.counts)).toHaveLength(7);
  });
});
