import { describe, expect, test } from 'vitest';
import { EVENT_VERSION, type Command, type Event, type EventBody, type Remembered } from '../../protocol/index.ts';
import type { Work } from '../loop/work.ts';
import { fold } from '../state/fold.ts';
import { createState } from '../state/state.ts';
import { changeScope, coversOf, toWaitingScopes } from './approval-scope.ts';

const run = 'r';
const remember: Remembered = { agent: 'klaus', tool: 'run_command', rules: ['mode'], command: 'echo one' };
type Answered = Extract<EventBody, { type: 'approval.answered' }>;
type Subject = Extract<Extract<EventBody, { type: 'approval.asked' }>['subject'], { kind: 'call' }>;

/** A log with one answered question about a call. */
function createAnswered(answered: Partial<Answered> = {}, subject: Partial<Subject> = {}) {
  const state = createState();
  let seq = 0;
  const add = (body: EventBody): void =>
    fold(state, { v: EVENT_VERSION, seq: ++seq, prev: '', session: 's', at: seq, ...body } as Event);
  add({
    type: 'session.opened',
    workspace: '/project',
    model: 'scripted/x',
    mode: 'ask',
    patchApproval: false,
    sandbox: 'host',
    checkpoint: 'auto',
    limits: { tokens: 0, usd: 0, toolCalls: 0, turns: 0 },
    grant: { authorities: [] },
    system: '',
    tools: [],
    klaus: '0',
  });
  add({ type: 'run.started', run, trigger: 'prompt', onAsk: 'wait' });
  const parts = [{ type: 'call' as const, id: 'c', name: 'run_command', input: { command: 'echo one' } }];
  add({ type: 'message.added', run, turn: 1, message: { id: 'm', role: 'assistant', origin: 'model', parts } });
  add({
    type: 'approval.asked',
    run,
    approval: 'a',
    turn: 1,
    subject: {
      ...{ kind: 'call', call: 'c', index: 0, name: 'run_command', callHash: '', before: [], grantHash: '', remember },
      ...subject,
    } as Subject,
    title: 'echo one',
    reason: 'why',
    expiresAt: 1_000,
  });
  add({ type: 'approval.answered', run, approval: 'a', answer: 'approved', by: 'test', ...answered });
  const send = (scope: Extract<Command, { type: 'scope' }>['scope']): EventBody[] => {
    const bodies = changeScope(state, { type: 'scope', id: 'x', approval: 'a', scope, by: 'test' });
    for (const body of bodies) add(body);
    return bodies;
  };
  const covers = (inbox: readonly Command[] = []): Promise<Remembered[]> =>
    coversOf({ state, session: 's', engine: { store: { inbox: async () => inbox } } } as unknown as Work);
  return { state, send, covers };
}

const waiting = (scope: 'once' | 'session' | 'project', approval = 'a'): Command => ({
  type: 'scope',
  id: scope,
  approval,
  scope,
  by: 'test',
});

test('an approval for once covers calls after it was remembered for the session, and none after it was revoked', async () => {
  const { send, covers } = createAnswered();
  expect(await covers()).toEqual([]);
  expect(send('session')).toEqual([
    { type: 'approval.changed', approval: 'a', scope: 'session', remember, by: 'test' },
  ]);
  expect(await covers()).toEqual([remember]);
  expect(send('session')).toEqual([]);
  expect(send('once')).toEqual([{ type: 'approval.changed', approval: 'a', scope: 'once', by: 'test' }]);
  expect(await covers()).toEqual([]);
});

test('an answer for the session in a log of an earlier version covers later calls', async () => {
  const { covers } = createAnswered({ scope: 'session', remember });
  expect(await covers()).toEqual([remember]);
});

test('a revocation that is still in the inbox applies already; what widens an approval waits for its event', async () => {
  const given = createAnswered({ scope: 'session', remember });
  expect(await given.covers([waiting('once')])).toEqual([]);
  expect(await given.covers([waiting('once', 'another')])).toEqual([remember]);
  expect(await given.covers([waiting('once'), waiting('session')])).toEqual([remember]);
  expect(await createAnswered().covers([waiting('session')])).toEqual([]);
});

test('the last command of the inbox decides', () => {
  expect([...toWaitingScopes([waiting('session'), waiting('once'), waiting('project', 'b')])]).toEqual([
    ['a', 'once'],
    ['b', 'project'],
  ]);
});

describe('nothing is remembered later', () => {
  const escalation = { authorities: [], chain: [] } as unknown as NonNullable<Subject['escalation']>;
  test.each([
    ['that was rejected', { answer: 'rejected' } as const, {}],
    ['of a part of a change', { hunks: { accepted: ['a.txt#1'] } }, {}],
    ['whose question offered nothing', {}, { remember: undefined }],
    ['that gave a child session more authority', { scope: 'session' } as const, { escalation }],
  ])('of an approval %s', async (_, answered, subject) => {
    const { send, covers, state } = createAnswered(answered, subject);
    expect(send('session')).toEqual([]);
    expect(send('project')).toEqual([]);
    expect(await covers()).toEqual([]);
    expect(state.approved.size).toBe(0);
  });
});
