// Covers sdk/cluster, core/protocol/events, adapters/scheduler/temporal, adapters/store/postgres: one log on one machine and on a cluster.
import { createKlaus, toCanonical, type Event } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { erasePrompt, FILES, PROMPT, SESSION } from '../doors/golden/story.ts';
import { untilLogged } from '../fixtures/engine.ts';
import { startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { endWorker, startCluster, WITHOUT_CLUSTER } from './cluster.ts';

/** The answer after an approval takes some time, so that the process that waits for it can be killed. */
const SCRIPT = {
  ...SESSION,
  steps: SESSION.steps.map((step, turn) => (turn === 2 ? { ...step, delay: 3_000 } : step)),
};
const SETTINGS = { requirePatchApproval: true };

/** The hash of a grant covers absolute paths, which differ between two test homes. */
const toCanonicalLog = (events: readonly Event[], workspace: string): unknown => {
  const canonical = toCanonical(events, new Map([[workspace, '/workspace']])).map(erasePrompt);
  return JSON.parse(JSON.stringify(canonical), (key, value: unknown) => (key === 'grantHash' ? '…' : value));
};

/** The log of the same session on one machine, in which every change is approved. */
async function runOnOneMachine(): Promise<unknown> {
  using place = createTestHome(FILES);
  await using server = await startServer(SCRIPT);
  const options = { cwd: place.workspace, env: toEnv({ place, server }), settings: SETTINGS };
  await using klaus = await createKlaus(options);
  const session = await klaus.open();
  await session.prompt(PROMPT, { onAsk: 'wait' });
  while ((await session.advance()).state === 'parked') {
    for (const { id } of await klaus.approvals()) await klaus.answer(id, 'approved');
  }
  return toCanonicalLog(await Array.fromAsync(session.events()), place.workspace);
}

describe.skipIf(WITHOUT_CLUSTER !== undefined)(`a cluster${WITHOUT_CLUSTER ? `: ${WITHOUT_CLUSTER}` : ''}`, () => {
  const timeout = 240_000;

  test('a session begun on one node, approved on another, killed and finished on a third', { timeout }, async () => {
    const expected = await runOnOneMachine();
    using place = createTestHome(FILES);
    await using server = await startServer(SCRIPT);
    await using cluster = await startCluster(place, { env: toEnv({ place, server }), settings: SETTINGS });
    const [first, second] = await Promise.all([cluster.openNode(), cluster.openNode()]);
    const worker = await cluster.startWorker();

    const session = await first.open();
    await session.prompt(PROMPT, { onAsk: 'wait' });
    await cluster.scheduler.wake(session.id, 'command');
    const answer = async (nth: number): Promise<void> => {
      await untilLogged(second, session.id, 'approval.asked', nth);
      const [asked] = await second.approvals();
      await second.answer(asked!.id, 'approved');
      await cluster.scheduler.wake(session.id, 'command');
    };
    await answer(1);
    // The model has the result of the approved change, and its answer takes some time.
    await untilLogged(first, session.id, 'turn.started', 3);
    await endWorker(worker, 'SIGKILL');
    await cluster.startWorker();
    await answer(2);
    await untilLogged(first, session.id, 'run.finished');
    await expect.poll(async () => (await cluster.scheduler.status(session.id)).state, { timeout: 60_000 }).toBe('idle');

    const events: Event[] = [];
    for await (const batch of first.store.read(session.id)) events.push(...batch);
    expect(toCanonicalLog(events, place.workspace)).toEqual(expected);
    expect(await first.store.verify(session.id)).toMatchObject({ intact: true });
  });
});
