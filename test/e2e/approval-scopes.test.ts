// Covers core/agent/calls, core/agent/state, sdk/sessions, adapters/store/sqlite/projections: approvals that are remembered or revoked later.
import { mkdirSync, renameSync } from 'node:fs';
import { createKlaus, defineTool, type Event, type Script, type Session } from '@klaus/sdk';
import { expect } from 'vitest';
import { z } from 'zod';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';

const ECHO = { name: 'run_command', input: { command: 'echo one' } };
/** Each prompt runs the same command once. */
const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { result: 'one' }, reply: { text: 'Done.' } },
    { when: { result: 'rejected' }, reply: { text: 'As you prefer.' } },
    { when: { user: 'go' }, reply: { calls: [ECHO] } },
  ],
  fallback: { text: 'Done.' },
};
const SETTINGS = { 'sandbox.driver': 'bubblewrap', approve: 'edits' };

/** Runs the command again: `asked` if it needs an approval. */
async function go({ klaus }: Pick<TestEngine, 'klaus'>, session: Session): Promise<'asked' | 'allowed'> {
  await session.prompt('go', { onAsk: 'wait' });
  const result = await session.advance();
  if (result.state !== 'parked') return 'allowed';
  await klaus.answer(result.approvals[0]!.approval, 'rejected');
  await session.advance();
  return 'asked';
}

async function approve(engine: TestEngine, scope: 'once' | 'session' | 'project') {
  const session = await engine.klaus.open();
  await session.prompt('go', { onAsk: 'wait' });
  const result = await session.advance();
  if (result.state !== 'parked') throw new Error('nothing was asked');
  const { approval } = result.approvals[0]!;
  await engine.klaus.answer(approval, 'approved', { scope });
  expect((await session.advance()).state).toBe('idle');
  return { session, approval };
}

const eventsOf = (session: Session): Promise<Event[]> => Array.fromAsync(session.events());

test('an approval for the session is revoked: the call asks again, and the log can be replayed', async () => {
  await using engine = await createTestEngine({ script: SCRIPT, settings: SETTINGS });
  const { session, approval } = await approve(engine, 'session');
  expect(await go(engine, session)).toBe('allowed');
  expect(await session.approvals()).toMatchObject([
    { approval, scope: 'session', remembered: { tool: 'run_command', command: 'echo one' } },
  ]);

  expect(await session.changeApproval(approval, 'once', { by: 'test' })).toEqual({
    approval,
    scope: 'once',
    applied: true,
  });
  expect(ofType(await eventsOf(session), 'approval.changed')).toMatchObject([{ approval, scope: 'once', by: 'test' }]);
  expect(await go(engine, session)).toBe('asked');
  expect(await session.approvals()).toMatchObject([{ approval, scope: 'once' }]);
  expect(await engine.klaus.store.lastHostEvent('approval.changed', session.id)).toMatchObject({ scope: 'once' });
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
  expect((await engine.klaus.store.audit()).intact).toBe(true);
});

test(
  'an approval for once is remembered later: for the session, then for the project, then not at all',
  { tags: ['long'] },
  async () => {
    await using engine = await createTestEngine({ script: SCRIPT, settings: SETTINGS });
    const { session, approval } = await approve(engine, 'once');
    expect(await go(engine, session)).toBe('asked');

    await session.changeApproval(approval, 'session');
    expect(await go(engine, session)).toBe('allowed');
    expect(await go(engine, await engine.klaus.open())).toBe('asked');

    await session.changeApproval(approval, 'project');
    expect(await engine.klaus.store.remembered()).toMatchObject([{ approval, session: session.id }]);
    expect(await go(engine, await engine.klaus.open())).toBe('allowed');

    await session.changeApproval(approval, 'once');
    expect(await engine.klaus.store.remembered()).toEqual([]);
    expect(await go(engine, await engine.klaus.open())).toBe('asked');
    expect(await go(engine, session)).toBe('asked');
    expect(await session.replay()).toMatchObject({ outcome: 'equal' });
    expect((await engine.klaus.store.audit()).intact).toBe(true);
  },
);

test('an approval for the project that was forgotten can be remembered again', { tags: ['long'] }, async () => {
  await using engine = await createTestEngine({ script: SCRIPT, settings: SETTINGS });
  const { session, approval } = await approve(engine, 'project');
  await engine.klaus.forget(approval);
  expect(await session.approvals()).toMatchObject([{ approval, scope: 'once' }]);
  await session.changeApproval(approval, 'project');
  expect(await go(engine, await engine.klaus.open())).toBe('allowed');
});

test('a revocation by another process applies before the next call of the one that holds the session', async () => {
  const started = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const hold = defineTool({
    name: 'hold',
    description: 'test',
    input: z.unknown(),
    effects: ['read'],
    resume: 'repeat',
    async run() {
      started.resolve();
      await released.promise;
      return { text: 'held' };
    },
  });
  const script: Script = {
    ...SCRIPT,
    steps: [
      { when: { result: 'held' }, reply: { calls: [ECHO] } },
      { when: { user: 'hold' }, reply: { calls: [{ name: 'hold', input: {} }] } },
      ...SCRIPT.steps,
    ],
  };
  await using engine = await createTestEngine({ script, tools: [hold], settings: SETTINGS });
  const { session, approval } = await approve(engine, 'session');
  await session.prompt('hold', { onAsk: 'wait' });
  const running = session.advance();
  await started.promise;
  await using other = await createKlaus({
    home: engine.place.home,
    cwd: engine.place.workspace,
    env: engine.place.env,
  });
  const handle = other.handle(session.id);
  expect(await handle.changeApproval(approval, 'once', { by: 'other' })).toMatchObject({ applied: false });
  expect(await handle.approvals()).toMatchObject([{ approval, scope: 'once' }]);
  released.resolve();
  expect((await running).state).toBe('parked');
  expect(ofType(await eventsOf(session), 'approval.changed')).toMatchObject([{ approval, by: 'other' }]);
});

test('only what its question offered can be remembered', async () => {
  const script: Script = {
    steps: [
      { when: { tools: false }, reply: { text: 'A title' } },
      { when: { result: 'b.txt' }, reply: { text: 'Done.' } },
      { when: { user: 'go' }, reply: { calls: [{ name: 'write_file', input: { path: 'b.txt', content: '1\n2\n' } }] } },
    ],
    fallback: { text: 'Done.' },
  };
  const files = { 'b.txt': `1\n${'\n'.repeat(20)}3\n` };
  await using engine = await createTestEngine({ script, files, settings: { approve: 'ask' } });
  const session = await engine.klaus.open();
  const refusal = { code: 'usage' };
  await expect(session.changeApproval('01J', 'session')).rejects.toMatchObject(refusal);
  await session.prompt('go', { onAsk: 'wait' });
  const result = await session.advance();
  if (result.state !== 'parked') throw new Error('nothing was asked');
  const { approval } = result.approvals[0]!;
  // Not answered yet.
  await expect(session.changeApproval(approval, 'session')).rejects.toMatchObject(refusal);
  await engine.klaus.answer(approval, 'rejected');
  await session.advance();
  await expect(session.changeApproval(approval, 'session')).rejects.toMatchObject(refusal);
  // A command that a door sends without the check changes nothing.
  await session.send({ type: 'scope', approval, scope: 'project', by: 'test' });
  await session.advance();
  expect(ofType(await eventsOf(session), 'approval.changed')).toEqual([]);
  expect(await engine.klaus.store.remembered()).toEqual([]);
});

test('a fork has none of the approvals of its original', { tags: ['long'] }, async () => {
  await using engine = await createTestEngine({ script: SCRIPT, settings: SETTINGS });
  const { session, approval } = await approve(engine, 'once');
  await session.changeApproval(approval, 'session');
  const { session: fork } = await engine.klaus.fork(session.id);
  expect(await fork.approvals()).toEqual([]);
  expect(await go(engine, fork)).toBe('asked');
});

test.for(['created', 'moved'] as const)(
  'an approval for the project is not one for another folder that was %s at its path',
  async (how) => {
    await using engine = await createTestEngine({ script: SCRIPT, settings: SETTINGS });
    const { workspace } = engine.place;
    if (how === 'moved') mkdirSync(`${workspace}-other`);
    await approve(engine, 'project');
    expect(await go(engine, await engine.klaus.open())).toBe('allowed');
    renameSync(workspace, `${workspace}-before`);
    if (how === 'moved') renameSync(`${workspace}-other`, workspace);
    else mkdirSync(workspace);
    expect(await go(engine, await engine.klaus.open())).toBe('asked');
    // What is approved in the new folder applies to it.
    await approve(engine, 'project');
    expect(await go(engine, await engine.klaus.open())).toBe('allowed');
  },
);
