import { EVENT_VERSION, NO_USAGE, type Event, type EventBody } from '@klaus/core/protocol';
import { describe, expect, test } from 'vitest';
import { closestLimit } from './limit-use.ts';
import { createConversation, type Conversation } from './conversation.ts';
import { foldConversation } from './fold-conversation.ts';

const RUN = { run: 'r1' };
const CALL = { ...RUN, turn: 1, call: 'c1', index: 0, name: 'run_command' };
const LIMITS = { tokens: 1_000, usd: 0, toolCalls: 0, turns: 0 };

const OPENED: EventBody = {
  type: 'session.opened',
  workspace: '/w',
  model: 'anthropic/claude-sonnet-5-5',
  mode: 'auto',
  patchApproval: false,
  sandbox: 'host',
  checkpoint: 'manual',
  limits: LIMITS,
  grant: { authorities: [] },
  system: '',
  tools: [],
  klaus: '0.1.0',
};

const ANSWER: EventBody = {
  type: 'message.added',
  ...RUN,
  turn: 1,
  message: {
    id: 'm1',
    role: 'assistant',
    origin: 'model',
    parts: [
      { type: 'thinking', text: 'Hm.' },
      { type: 'text', text: 'I look.' },
      { type: 'call', id: 'c1', name: 'use_tool', input: { name: 'run_command', input: { command: 'ls' } } },
    ],
  },
};

const ASKED: EventBody = {
  type: 'approval.asked',
  ...RUN,
  approval: 'a1',
  turn: 1,
  subject: { kind: 'call', call: 'c1', index: 0, name: 'run_command', callHash: '', before: [], grantHash: '' },
  title: 'run ls',
  reason: 'it asks',
  expiresAt: 5,
};

const FINISHED: EventBody = {
  type: 'tool.finished',
  ...CALL,
  outcome: 'ok',
  output: 'a\nb',
  changes: [{ path: 'new.txt', kind: 'created', before: null, after: 'x' }],
  durationMs: 12,
};

function attempted(usage: Partial<typeof NO_USAGE>, usd: number | null): EventBody {
  const base = { ...RUN, purpose: 'turn', turn: 1, model: 'm', attempt: 1, outcome: 'ok' } as const;
  return { type: 'model.attempted', ...base, usage: { ...NO_USAGE, ...usage }, usd };
}

function toLog(bodies: readonly EventBody[]): Event[] {
  return bodies.map(
    (body, at) => ({ v: EVENT_VERSION, seq: at + 1, prev: '', session: 's1', at: at * 10, ...body }) as Event,
  );
}

function fold(bodies: readonly EventBody[]): Conversation {
  const view = createConversation('s1');
  for (const event of toLog(bodies)) foldConversation(view, event);
  return view;
}

describe('a call', () => {
  test('has one entry with the tool, the question, the answer and the result', () => {
    const answered: EventBody = { type: 'approval.answered', ...RUN, approval: 'a1', answer: 'approved', by: 'web' };
    const started: EventBody = { type: 'tool.started', ...CALL, attempt: 1, resume: 'repeat', changes: [] };
    const log = [OPENED, ANSWER, ASKED, answered, started, FINISHED];
    const states = log.map((_, at) => {
      const entry = fold(log.slice(0, at + 1)).entries.find(({ kind }) => kind === 'call');
      return entry?.kind === 'call' ? entry.state : undefined;
    });
    expect(states).toEqual([undefined, 'waiting', 'asked', 'waiting', 'running', 'finished']);
    const view = fold(log);
    expect(view.entries.map(({ kind }) => kind)).toEqual(['fact', 'model', 'call']);
    expect(view.entries.at(-1)).toMatchObject({
      name: 'run_command',
      input: { command: 'ls' },
      answer: { by: 'web' },
      result: { output: 'a\nb', durationMs: 12 },
    });
    expect(view.approvals.size).toBe(0);
    expect([...view.changed]).toEqual([['new.txt', 'created']]);
  });

  test('counts only if it began', () => {
    const cancelled = { ...FINISHED, outcome: 'cancelled', changes: [] } as EventBody;
    const started: EventBody = { type: 'tool.started', ...CALL, attempt: 1, resume: 'repeat', changes: [] };
    expect(fold([OPENED, ANSWER, cancelled]).toolCalls).toBe(0);
    expect(fold([OPENED, ANSWER, started, cancelled]).toolCalls).toBe(1);
  });

  test('with a second question has no answer', () => {
    const answered: EventBody = {
      type: 'approval.answered',
      ...RUN,
      approval: 'a1',
      answer: 'superseded',
      by: 'klaus',
    };
    const again = { ...ASKED, approval: 'a2' } as EventBody;
    const view = fold([OPENED, ANSWER, ASKED, answered, again]);
    expect([...view.approvals.keys()]).toEqual(['a2']);
    const call = view.entries.at(-1);
    expect(call?.kind === 'call' && call.answer).toBe(undefined);
  });
});

test('an event that arrives twice changes nothing', () => {
  const log = toLog([OPENED, ANSWER, ASKED, attempted({ input: 100 }, 0.5), FINISHED]);
  const once = createConversation('s1');
  for (const event of log) foldConversation(once, event);
  const twice = createConversation('s1');
  for (const event of [...log.slice(0, 4), ...log.slice(1, 4), ...log]) foldConversation(twice, event);
  expect(twice).toEqual(once);
});

test('an unknown price makes the sum unknown; a request without usage does not', () => {
  expect(fold([OPENED, attempted({ input: 10 }, 0.25), attempted({}, null)]).usd).toBe(0.25);
  expect(fold([OPENED, attempted({ input: 10 }, 0.25), attempted({ input: 1 }, null)]).usd).toBe(null);
});

test('a fork does not count the usage of the original', () => {
  const forked = { session: 's0', seq: 2, head: '', root: 's0', settled: 0 };
  const view = fold([{ ...OPENED, forked } as EventBody, attempted({ input: 700 }, 1), attempted({ input: 100 }, 2)]);
  expect(view.usage.input).toBe(100);
  expect(view.usd).toBe(2);
  expect(closestLimit(view)).toEqual({ limit: 'tokens', share: 0.1, used: 100, cap: 1_000 });
});

test('a file that the session created and deleted is not changed', () => {
  const gone = {
    ...FINISHED,
    changes: [{ path: 'new.txt', kind: 'deleted', before: 'x', after: null }],
  } as EventBody;
  expect(fold([OPENED, ANSWER, FINISHED, gone]).changed.size).toBe(0);
});

describe('an agent', () => {
  const SPAWN: EventBody = {
    ...ANSWER,
    message: { ...ANSWER.message, parts: [toCall('c1', 'spawn_agent')] },
  } as EventBody;
  const USE = { usage: { ...NO_USAGE, input: 100 }, usd: 0.5, turns: 2, toolCalls: 1 };
  const CHILD = { child: 's2', agent: 'reader' };
  const CHILD_OPENED: EventBody = {
    type: 'child.opened',
    ...RUN,
    turn: 1,
    call: 'c1',
    ...CHILD,
    definition: '',
    edge: 'spawn',
    grant: { authorities: [] },
    limits: LIMITS,
  };
  const ENDED: EventBody = { type: 'child.finished', ...CHILD, finished: 'r2', outcome: 'done', ...USE };
  const CLOSED: EventBody = { type: 'child.closed', ...CHILD, ...USE, turns: 3 };

  function toCall(id: string, name: string) {
    return { type: 'call', id, name, input: {} } as const;
  }

  function callOf(view: Conversation, id: string) {
    const entry = view.entries[view.calls.get(id)!];
    return entry?.kind === 'call' ? entry : undefined;
  }

  test('is below the call that started it, and its last event gives its state and its use', () => {
    const log = [OPENED, SPAWN, CHILD_OPENED, ENDED, CLOSED];
    expect(callOf(fold(log.slice(0, 3)), 'c1')?.child).toMatchObject({ id: 's2', agent: 'reader', state: 'working' });
    expect(callOf(fold(log.slice(0, 4)), 'c1')?.child).toMatchObject({ state: 'finished', outcome: 'done', usd: 0.5 });
    expect(callOf(fold(log), 'c1')?.child).toMatchObject({ state: 'closed', outcome: 'done', turns: 3 });
    // Each event has the sum of the agent, which counts once.
    expect(fold(log)).toMatchObject({ usd: 0.5, turns: 3, toolCalls: 1, usage: { input: 100 } });
  });

  test('is also below a call that sent it a message', () => {
    const send = {
      ...SPAWN,
      message: { ...ANSWER.message, id: 'm2', parts: [toCall('c2', 'message_agent')] },
    } as EventBody;
    const sent = { ...FINISHED, call: 'c2', changes: [], detail: { child: 's2' } } as EventBody;
    const view = fold([OPENED, SPAWN, CHILD_OPENED, ENDED, send, sent]);
    expect(callOf(view, 'c2')?.child).toMatchObject({ id: 's2', state: 'working' });
    expect(callOf(view, 'c1')?.child).toBe(callOf(view, 'c2')?.child);
  });

  test('is waited for until it has ended', () => {
    const wait = {
      ...SPAWN,
      message: { ...ANSWER.message, id: 'm2', parts: [toCall('c2', 'wait_agents')] },
    } as EventBody;
    const waiting: EventBody = { type: 'tool.waiting', ...CALL, call: 'c2', children: ['s2', 's3'], any: false };
    const log = [OPENED, SPAWN, CHILD_OPENED, wait, waiting];
    expect(callOf(fold(log), 'c2')?.awaits).toEqual(['s2', 's3']);
    expect(callOf(fold([...log, ENDED]), 'c2')?.awaits).toEqual(['s3']);
    expect(callOf(fold([...log, { ...FINISHED, call: 'c2' } as EventBody]), 'c2')?.awaits).toBeUndefined();
  });
});
