// Covers core/agent/loop, sdk/sessions: forks.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, outcomeOf, type TestEngine } from '../fixtures/engine.ts';

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title\nA summary' } },
    { when: { user: 'continue' }, reply: { text: 'The fork is done.' } },
    { when: { turn: 0 }, reply: { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] } },
    { when: { turn: 1 }, reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'two\n' } }] } },
    { when: { turn: 2 }, reply: { calls: [{ name: 'run_command', input: { command: 'echo three > a.txt' } }] } },
    { when: { turn: 3 }, reply: { text: 'Done.' } },
  ],
};

async function createOriginal(engine: TestEngine, mode: 'ask' | 'auto' = 'ask') {
  const { klaus } = engine;
  const session = await klaus.open({ mode, limits: { turns: 6 } });
  await session.prompt('begin', { onAsk: 'wait' });
  for (;;) {
    const result = await session.advance();
    if (result.state !== 'parked') break;
    for (const { approval } of result.approvals) await klaus.answer(approval, 'approved', { scope: 'session' });
  }
  // Without a sandbox, no command can be reviewed, so the only one did not run.
  const outcome = mode === 'ask' ? 'failed' : 'done';
  expect(outcomeOf(await Array.fromAsync(session.events()))).toMatchObject({ outcome });
  return session;
}

test('a fork at any event of a session can be continued, with its own budget', async () => {
  await using engine = await createTestEngine({ script: SCRIPT, files: { 'a.txt': 'one\n' } });
  const { klaus } = engine;
  const original = await createOriginal(engine);
  const before = await Array.fromAsync(original.events());
  for (let at = 1; at <= before.length; at++) {
    const { session, from } = await klaus.fork(original.id, { at });
    expect(from).toBe(original.id);
    const copied = await Array.fromAsync(session.events());
    expect(copied.slice(1, at).map(({ type, at: time }) => [type, time])).toEqual(
      before.slice(1, at).map(({ type, at: time }) => [type, time]),
    );
    await session.prompt('continue');
    // The original took four of its six turns; the fork has all six.
    expect(await session.advance(), `forked at ${at}`).toMatchObject({ finished: { outcome: 'done', turns: 1 } });
    expect(await klaus.store.verify(session.id)).toMatchObject({ intact: true });
    expect(await session.replay(), `forked at ${at}`).toMatchObject({ outcome: 'equal', requests: 1 });
    expect(await klaus.store.session(session.id)).toMatchObject({ forkedFrom: original.id });
  }
  expect(await Array.fromAsync(original.events())).toEqual(before);
  // Costs are counted once: for the original.
  const usage = async (id: string) =>
    (await klaus.store.session(id))!.inputTokens + (await klaus.store.session(id))!.cacheReadTokens;
  const { session } = await klaus.fork(original.id);
  expect(await usage(session.id)).toBe(0);
  expect(await usage(original.id)).toBeGreaterThan(0);
});

test('a fork has at most the present authority of its original, and none of its approvals', async () => {
  await using engine = await createTestEngine({ script: SCRIPT, files: { 'a.txt': 'one\n' } });
  const { klaus } = engine;
  const original = await createOriginal(engine);
  const asked = ofType(await Array.fromAsync(original.events()), 'approval.asked')[0]!.seq;
  await original.revoke(['exec']);
  await original.send({ type: 'change', mode: 'plan' });
  await original.advance();
  const { session } = await klaus.fork(original.id, { at: asked + 1 });
  expect((await session.grants()).at(-1)!.grant.authorities.some(({ kind }) => kind === 'exec')).toBe(false);
  expect(ofType(await Array.fromAsync(session.events()), 'session.changed').at(-1)).toMatchObject({ mode: 'plan' });
  const ids = ofType(await Array.fromAsync(original.events()), 'approval.asked').map(({ approval }) => approval);
  for (const { approval } of ofType(await Array.fromAsync(session.events()), 'approval.asked'))
    expect(ids).not.toContain(approval);
  const narrow = await klaus.fork(original.id);
  const again = await klaus.fork(narrow.session.id, { at: narrow.at, title: 'again' });
  expect(ofType(await Array.fromAsync(again.session.events()), 'session.opened')[0]!.forked).toMatchObject({
    session: narrow.session.id,
    root: original.id,
  });
  await again.session.prompt('continue');
  expect(await again.session.advance()).toMatchObject({ finished: { outcome: 'done' } });
});

test('the workspace is restored to the state at that event, and changes of others are only overwritten on request', async () => {
  await using engine = await createTestEngine({ script: SCRIPT, files: { 'a.txt': 'one\n' } });
  const { klaus, place } = engine;
  const original = await createOriginal(engine, 'auto');
  const file = join(place.workspace, 'a.txt');
  expect(readFileSync(file, 'utf8')).toBe('three\n');
  const at = ofType(await Array.fromAsync(original.events()), 'turn.started').find(({ turn }) => turn === 3)!.seq;
  const { session, state, from } = await klaus.fork(original.id, { at });
  const request = { kind: 'file' as const, path: '', ...state!, of: from };
  writeFileSync(join(place.workspace, 'mine.txt'), 'mine');
  writeFileSync(file, 'mine too');
  expect(await session.restore(request, { by: 'test' })).toMatchObject({ done: false });
  expect(readFileSync(file, 'utf8')).toBe('mine too');
  writeFileSync(file, 'three\n');
  expect(await session.restore(request, { by: 'test', conflicts: 'keep' })).toMatchObject({ done: true });
  expect(readFileSync(file, 'utf8')).toBe('two\n');
  expect(readFileSync(join(place.workspace, 'mine.txt'), 'utf8')).toBe('mine');
});

test('an unknown event is refused', async () => {
  await using engine = await createTestEngine({ script: SCRIPT });
  const session = await engine.klaus.open();
  await expect(engine.klaus.fork(session.id, { at: 2 })).rejects.toMatchObject({ code: 'usage' });
  await expect(engine.klaus.fork(session.id, { at: 0 })).rejects.toMatchObject({ code: 'usage' });
});
