// Covers adapters/tools/plan, core/agent/context, core/agent/calls: a plan that the user edits and accepts.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import type { Session } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, outcomeOf } from '../fixtures/engine.ts';

const PLAN = '# Write a file\n\n1. Write `a.txt`.\n';
const EDITED = '# Write a file\n\n1. Write `b.txt` instead.\n';
const present = (plan: string) => ({ name: 'use_tool', input: { name: 'present_plan', input: { plan } } });
const write = (path: string) => ({ name: 'write_file', input: { path, content: 'done\n' } });

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'Title\nSummary' } },
    { when: { after: 'write_file', result: 'Denied' }, reply: { calls: [present(PLAN)] } },
    { when: { after: 'write_file' }, reply: { text: 'Written.' } },
    { when: { result: 'rejected' }, reply: { calls: [present(EDITED)] } },
    { when: { result: 'b.txt' }, reply: { calls: [write('b.txt')] } },
    { when: { result: 'accepted the plan' }, reply: { calls: [write('a.txt')] } },
    { when: { result: 'no user is available' }, reply: { text: 'This is the plan.' } },
    { when: { user: 'Write' }, reply: { calls: [write('a.txt')] } },
    { when: { user: 'plan is off' }, reply: { text: 'Off.' } },
  ],
  fallback: { text: 'Noted.' },
};

const eventsOf = (session: Session) => Array.fromAsync(session.events());

async function toQuestion(session: Session) {
  const advanced = await session.advance();
  if (advanced.state !== 'parked') throw new Error(`no question: ${advanced.state}`);
  return advanced.approvals[0]!;
}

test('the model learns that mode plan is on and how to present a plan', async () => {
  await using engine = await createTestEngine({ script: SCRIPT });
  const session = await engine.klaus.open({ mode: 'plan' });
  await session.prompt('Write a file.', { onAsk: 'wait' });
  const asked = await toQuestion(session);
  expect(asked.subject).toMatchObject({ kind: 'plan', name: 'present_plan', plan: PLAN });
  // Before the prompt, and again with the denial.
  expect(engine.server.requests[0]!.body).toMatch(/Mode plan is on.*use_tool.*present_plan.*Write a file\./);
  const events = await eventsOf(session);
  expect(ofType(events, 'tool.finished')[0]).toMatchObject({
    outcome: 'denied',
    output: expect.stringContaining('present_plan'),
  });
  // The tools are those of the grant, because the mode can change.
  expect(ofType(events, 'session.opened')[0]!.tools).toContain('write_file');
});

test('an accepted plan changes the mode in the same step, and the model gets the edited text', async () => {
  await using engine = await createTestEngine({ script: SCRIPT });
  const session = await engine.klaus.open({ mode: 'plan' });
  await session.prompt('Write a file.', { onAsk: 'wait' });
  const { approval } = await toQuestion(session);
  // By another process. A long plan arrives completely.
  const plan = `${EDITED}${'- one more step\n'.repeat(1_000)}`;
  await engine.reopen();
  await engine.klaus.answer(approval, 'approved', { plan, by: 'test' });
  const again = await engine.klaus.session(session.id);
  expect(await again.advance()).toMatchObject({ state: 'idle' });
  const events = await eventsOf(again);
  const answered = events.findIndex(({ type }) => type === 'approval.answered');
  expect(events[answered]).toMatchObject({ answer: 'approved', by: 'test', plan });
  expect(events[answered + 1]).toMatchObject({ type: 'session.changed', mode: 'edits' });
  expect(ofType(events, 'tool.finished').find(({ name }) => name === 'present_plan')).toMatchObject({
    outcome: 'ok',
    output: expect.stringContaining(plan),
  });
  expect(readFileSync(join(engine.place.workspace, 'b.txt'), 'utf8')).toBe('done\n');
  expect(existsSync(join(engine.place.workspace, 'a.txt'))).toBe(false);
  expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
  expect((await again.replay()).outcome).toBe('equal');
});

test(
  'a rejected plan returns the note and stays in mode plan; the accepted one continues in the given mode',
  { tags: ['long'] },
  async () => {
    await using engine = await createTestEngine({ script: SCRIPT });
    const session = await engine.klaus.open({ mode: 'plan' });
    await session.prompt('Write a file.', { onAsk: 'wait' });
    const first = await toQuestion(session);
    await engine.klaus.answer(first.approval, 'rejected', { note: 'another name' });
    const second = await toQuestion(session);
    expect(ofType(await eventsOf(session), 'session.changed').filter(({ mode }) => mode)).toEqual([]);
    const rejected = ofType(await eventsOf(session), 'tool.finished').find(({ name }) => name === 'present_plan');
    expect(rejected).toMatchObject({ outcome: 'denied', output: expect.stringContaining('another name') });
    await engine.klaus.answer(second.approval, 'approved', { mode: 'auto' });
    await session.advance();
    const events = await eventsOf(session);
    expect(ofType(events, 'session.changed').findLast(({ mode }) => mode)).toMatchObject({ mode: 'auto' });
    expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
    expect((await session.replay()).outcome).toBe('equal');
  },
);

test('without a user, the plan is the answer', async () => {
  await using engine = await createTestEngine({ script: SCRIPT });
  const session = await engine.klaus.open({ mode: 'plan' });
  await session.prompt('Plan it.', { onAsk: 'deny' });
  await session.advance();
  await session.send({ type: 'change', mode: 'edits' });
  await session.prompt('Really?');
  await session.advance();
  expect(engine.server.requests.filter(({ body }) => body.includes('Mode plan is off'))).not.toEqual([]);
  expect((await session.replay()).outcome).toBe('equal');
});

test('a plan needs a user in every mode, and no other question takes one', async () => {
  await using engine = await createTestEngine({
    script: {
      steps: [
        { when: { turn: 0 }, reply: { calls: [present(PLAN)] } },
        { when: { turn: 1 }, reply: { calls: [{ name: 'run_command', input: { command: 'true' } }] } },
      ],
      fallback: { text: 'Done.' },
    },
  });
  const session = await engine.klaus.open({ mode: 'edits' });
  await session.prompt('Go.', { onAsk: 'wait' });
  const plan = await toQuestion(session);
  expect(plan.subject.kind).toBe('plan');
  await engine.klaus.answer(plan.approval, 'approved');
  const command = await toQuestion(session);
  expect(ofType(await eventsOf(session), 'session.changed').filter(({ mode }) => mode)).toEqual([]);
  await expect(engine.klaus.answer(command.approval, 'approved', { plan: EDITED })).rejects.toMatchObject({
    code: 'usage',
  });
});

test('a secret in an edited plan is redacted before it enters the inbox', async () => {
  const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
  await using engine = await createTestEngine({ script: SCRIPT });
  const session = await engine.klaus.open({ mode: 'plan' });
  await session.prompt('Write a file.', { onAsk: 'wait' });
  const { approval } = await toQuestion(session);
  await engine.klaus.answer(approval, 'approved', { plan: `${EDITED}\nUse ${secret}.\n` });
  const inbox = JSON.stringify(await engine.klaus.store.inbox(session.id));
  expect(inbox).toContain('[secret:');
  expect(inbox).not.toContain(secret);
  await session.advance();
  expect(JSON.stringify(await eventsOf(session))).not.toContain(secret);
  expect((await session.replay()).outcome).toBe('equal');
});
