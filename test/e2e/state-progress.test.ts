// Covers core/agent/workspace, core/conversation: a state of the workspace that takes longer than a second is shown.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { findOwnWork, type EventType, type Live } from '@klaus/sdk';
import { addPiece, createInFlightText, findOwnProgress, removeStored } from '@klaus/sdk/conversation';
import { expect, test } from 'vitest';
import { createTestEngine, outcomeOf, type TestEngine } from '../fixtures/engine.ts';

const script = {
  steps: [
    { reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'one\n' } }] } },
    { reply: { text: 'Done.' } },
    { reply: { calls: [{ name: 'run_command', input: { command: 'echo two > a.txt' } }] } },
  ],
  fallback: { text: 'Done.' },
};

/** Holds the lock of the snapshots, as another process does that restores a state, until it is disposed. */
function lockSnapshots({ place }: TestEngine): Disposable {
  const [store] = readdirSync(join(place.home, 'snapshots'));
  const lock = new DatabaseSync(join(place.home, 'snapshots', store!, 'lock.db'));
  lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  let isHeld = true;
  return {
    [Symbol.dispose]() {
      if (isHeld) lock.close();
      isHeld = false;
    },
  };
}

test.each<[moment: string, EventType]>([
  ['before an effect', 'run.started'],
  ['after a turn', 'tool.finished'],
])('a state %s is shown until it is stored', async (_, lockedAt) => {
  await using engine = await createTestEngine({ script, settings: { 'sandbox.driver': 'host', checkpoint: 'manual' } });
  const session = await engine.klaus.open({ mode: 'auto' });
  await session.prompt('first');
  await session.advance();
  const seen: Live[] = [];
  const inFlight = createInFlightText();
  let lock: Disposable | undefined;
  session.subscribe((await Array.fromAsync(session.events())).length, (event) => {
    removeStored(inFlight, event);
    if (event.type === lockedAt) lock ??= lockSnapshots(engine);
  });
  session.onLive((live) => {
    addPiece(inFlight, live);
    if (live.type !== 'tool.progress' || findOwnWork(live.call) !== 'state') return;
    seen.push(live);
    expect(findOwnProgress(inFlight)).toMatchObject({ work: 'state', text: expect.stringMatching(/, \d+ s$/) });
    lock?.[Symbol.dispose]();
  });
  await session.prompt('second');
  await session.advance();
  expect(seen.length).toBeGreaterThan(0);
  expect(findOwnProgress(inFlight)).toBeUndefined();
  const events = await Array.fromAsync(session.events());
  expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});
