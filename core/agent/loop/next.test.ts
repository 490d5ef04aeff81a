import { describe, expect, test } from 'vitest';
import {
  EVENT_VERSION,
  type Effect,
  type Event,
  type EventBody,
  type Message,
  type Part,
} from '../../protocol/index.ts';
import { fold } from '../state/fold.ts';
import type { Forecast } from '../budget/forecast.ts';
import { next, type Facts } from './next.ts';
import { createState, type State } from '../state/state.ts';

const EFFECTS: Record<string, Effect[]> = {
  read: ['read'],
  write: ['write'],
  shell: ['execute'],
  net: ['execute', 'network'],
};

const FORECAST: Forecast = {
  promptTokens: 1_000,
  maxOutputTokens: 1_000,
  tokens: 2_000,
  usd: 0.01,
  contextWindow: 100_000,
};

function facts(more: Partial<Forecast> = {}): Facts {
  return {
    effectsOf: (name) => EFFECTS[name] ?? [],
    forecast: () => ({ ...FORECAST, ...more }),
    maxRetries: 2,
    compactAt: 0.8,
  };
}

/** A log written by hand; the envelope does not matter to the fold. */
function createLog(opened: Partial<Extract<EventBody, { type: 'session.opened' }>> = {}) {
  const state = createState();
  let seq = 0;
  const add = (body: EventBody): State => {
    fold(state, { v: EVENT_VERSION, seq: ++seq, prev: '', session: 's', at: seq, ...body } as Event);
    return state;
  };
  add({
    type: 'session.opened',
    workspace: '/project',
    model: 'scripted/x',
    mode: 'auto',
    patchApproval: false,
    sandbox: 'host',
    checkpoint: 'auto',
    limits: { tokens: 0, usd: 0, toolCalls: 0, turns: 0 },
    grant: { authorities: [] },
    system: '',
    tools: [],
    klaus: '0',
    ...opened,
  });
  return { state, add };
}

type Log = ReturnType<typeof createLog>;
const run = 'r';

function begin(log: Log, onAsk: 'deny' | 'wait' = 'deny'): Log {
  log.add({ type: 'run.started', run, trigger: 'prompt', onAsk });
  log.add({
    type: 'message.added',
    run,
    turn: 0,
    message: { id: 'u', role: 'user', origin: 'user', parts: [{ type: 'text', text: 'do it' }] },
  });
  return log;
}

function answer(
  log: Log,
  parts: Part[],
  stopReason: 'end_turn' | 'tool_use' | 'max_tokens' | 'pause_turn' | 'refusal' = 'end_turn',
): Log {
  const turn = log.state.turn + 1;
  const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };
  log.add({ type: 'turn.started', run, turn, model: 'm', requestHash: 'h', reserved: { tokens: 2_000, usd: 0.01 } });
  log.add({
    type: 'model.attempted',
    run,
    purpose: 'turn',
    turn,
    model: 'm',
    attempt: 1,
    outcome: 'ok',
    usage,
    usd: 0.001,
  });
  const message: Message = { id: `a${turn}`, role: 'assistant', origin: 'model', parts };
  if (parts.length > 0) log.add({ type: 'message.added', run, turn, message });
  log.add({ type: 'turn.finished', run, turn, stopReason, ...(parts.length === 0 ? { empty: true } : {}) });
  return log;
}

const calls = (...names: string[]): Part[] =>
  names.map((name, index) => ({ type: 'call', id: `c${index}`, name, input: {} }));
const text = (words: string): Part[] => [{ type: 'text', text: words }];

function finish(log: Log, index: number, more: Partial<Extract<EventBody, { type: 'tool.finished' }>> = {}): Log {
  const name = log.state.calls[index]!.name;
  const head = { run, turn: log.state.turn, call: `c${index}`, index, name };
  log.add({
    type: 'tool.finished',
    ...head,
    outcome: 'ok',
    output: `out ${index}`,
    changes: [],
    durationMs: 1,
    ...more,
  });
  return log;
}

test('a session without a run is idle, one with a prompt asks the model', () => {
  const log = createLog();
  expect(next(log.state, facts())).toEqual({ kind: 'idle' });
  expect(next(begin(log).state, facts()).kind).toBe('model');
});

describe('calls', () => {
  const batchOf = (log: Log) => {
    const action = next(log.state, facts());
    return action.kind === 'calls' ? action.calls.map((call) => call.id) : action.kind;
  };

  test('reads run in parallel, other calls run alone', () => {
    const log = answer(begin(createLog()), calls('read', 'read', 'write', 'read', 'shell'), 'tool_use');
    expect(batchOf(log)).toEqual(['c0', 'c1']);
    finish(finish(log, 1), 0);
    expect(batchOf(log)).toEqual(['c2']);
    finish(log, 2);
    expect(batchOf(log)).toEqual(['c3']);
    finish(log, 3);
    expect(batchOf(log)).toEqual(['c4']);
  });

  test('results are added to the history in call order when all are complete', () => {
    const log = answer(begin(createLog()), calls('read', 'read'), 'tool_use');
    finish(log, 1);
    expect(log.state.messages.at(-1)!.role).toBe('assistant');
    finish(log, 0);
    expect(log.state.messages.at(-1)!.parts).toMatchObject([
      { call: 'c0', text: 'out 0' },
      { call: 'c1', text: 'out 1' },
    ]);
    expect(next(log.state, facts()).kind).toBe('model');
  });

  test('a started call without a result is recovered first', () => {
    const log = answer(begin(createLog()), calls('read', 'shell'), 'tool_use');
    log.add({
      type: 'tool.started',
      run,
      turn: 1,
      call: 'c1',
      index: 1,
      name: 'shell',
      attempt: 1,
      resume: 'tell',
      changes: [],
    });
    expect(next(log.state, facts())).toMatchObject({ kind: 'recover', call: { id: 'c1' } });
  });

  test('context that arrives during calls is added after their results', () => {
    const log = answer(begin(createLog()), calls('read', 'read'), 'tool_use');
    finish(log, 0);
    log.add({
      type: 'message.added',
      run,
      turn: 1,
      message: { id: 'context:a', role: 'user', origin: 'context', parts: text('rules') },
    });
    finish(log, 1);
    expect(log.state.messages.map((message) => message.origin)).toEqual(['user', 'model', 'tools', 'context']);
  });

  test('the tool-call limit shortens a batch, then stops', () => {
    const limits = { tokens: 0, usd: 0, toolCalls: 2, turns: 0 };
    const log = answer(begin(createLog({ limits })), calls('read', 'read', 'read'), 'tool_use');
    expect(batchOf(log)).toEqual(['c0', 'c1']);
    finish(finish(log, 0), 1);
    expect(next(log.state, facts())).toMatchObject({ kind: 'limit', reached: { limit: 'toolCalls', used: 2, cap: 2 } });
  });
});

describe('endings', () => {
  const end = (log: Log) => {
    const action = next(log.state, facts());
    return action.kind === 'finish' ? action.outcome : action.kind;
  };

  test('a text at the end of a turn ends the run', () => {
    expect(end(answer(begin(createLog()), text('done')))).toBe('done');
  });

  test('a refusal fails the run, also without text', () => {
    expect(end(answer(begin(createLog()), [], 'refusal'))).toBe('failed');
  });

  test('a cut answer is continued a limited number of times', () => {
    const log = begin(createLog());
    for (let round = 0; round < 2; round++) {
      expect(end(answer(log, text('half'), 'max_tokens'))).toBe('nudge');
      log.add({
        type: 'message.added',
        run,
        turn: 1,
        message: { id: 'e', role: 'user', origin: 'engine', parts: text('continue') },
      });
    }
    expect(end(answer(log, text('half'), 'max_tokens'))).toBe('failed');
  });

  test('a paused turn is sent again unchanged', () => {
    expect(end(answer(begin(createLog()), text('thinking'), 'pause_turn'))).toBe('model');
  });

  test('an empty answer is followed by a request for a summary', () => {
    expect(end(answer(begin(createLog()), []))).toBe('nudge');
  });

  test('a denied call that no other call replaced is the outcome', () => {
    const log = answer(begin(createLog()), calls('write', 'read'), 'tool_use');
    finish(finish(log, 0, { outcome: 'denied' }), 1);
    expect(end(answer(log, text('could not')))).toBe('denied');
  });

  test('a denied call that a later call replaced is ignored', () => {
    const log = answer(begin(createLog()), calls('shell', 'shell'), 'tool_use');
    finish(finish(log, 0, { outcome: 'denied' }), 1);
    expect(end(answer(log, text('done')))).toBe('done');
  });

  test('a run none of whose commands could run is no success', () => {
    const unavailable = { outcome: 'error', detail: { code: 'sandbox.unavailable' } } as const;
    const play = (...results: Parameters<typeof finish>[2][]) => {
      const log = answer(begin(createLog()), calls('read', ...results.map(() => 'shell')), 'tool_use');
      finish(log, 0);
      for (const [at, result] of results.entries()) finish(log, at + 1, result);
      return end(answer(log, text('done')));
    };
    expect(play(unavailable, unavailable)).toBe('failed');
    expect(play(unavailable, {})).toBe('done');
    expect(play({ outcome: 'error' })).toBe('done');
  });

  test('changed files with a failed check at the end are no success', () => {
    const log = answer(begin(createLog()), calls('write', 'shell'), 'tool_use');
    finish(finish(log, 0), 1, { outcome: 'error', evidence: { command: 'npm test', exitCode: 1 } });
    expect(end(answer(log, text('all good!')))).toBe('failed');
  });

  test('a narrow passed check does not replace a broad failed one', () => {
    const check = (paths: string[]) => ({ kind: 'test' as const, runner: 'vitest', cwd: '', paths, filters: [] });
    const red = { command: 'npx vitest run', exitCode: 1, checks: [check([])] };
    const narrow = { command: 'npx vitest run a.test.ts', exitCode: 0, checks: [check(['a.test.ts'])] };
    const play = (...rows: (typeof red)[]) => {
      const log = answer(begin(createLog()), calls('write', ...rows.map(() => 'shell')), 'tool_use');
      finish(log, 0);
      for (const [at, evidence] of rows.entries()) finish(log, at + 1, { outcome: 'ok', evidence });
      return end(answer(log, text('all good!')));
    };
    expect(play(red, narrow)).toBe('failed');
    expect(play(red, narrow, { ...red, exitCode: 0 })).toBe('done');
    expect(play(narrow, { ...narrow, exitCode: 0 })).toBe('done');
  });

  test('invalid input too often in a row ends the run', () => {
    const log = begin(createLog());
    for (let round = 0; round < 3; round++) {
      answer(log, calls('read'), 'tool_use');
      finish(log, 0, { outcome: 'error', detail: { code: 'tool.input' } });
    }
    expect(end(log)).toBe('failed');
  });

  test('a permanent failure of the model ends the run', () => {
    const log = begin(createLog());
    log.add({ type: 'turn.started', run, turn: 1, model: 'm', requestHash: 'h', reserved: { tokens: 1, usd: 0 } });
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    log.add({
      type: 'model.attempted',
      run,
      purpose: 'turn',
      turn: 1,
      model: 'm',
      attempt: 5,
      outcome: 'overloaded',
      usage,
      usd: 0,
    });
    expect(end(log)).toBe('model_failed');
  });
});

describe('limits', () => {
  const limited = (limits: Partial<State['limits']>, onAsk: 'deny' | 'wait' = 'deny') =>
    begin(createLog({ limits: { tokens: 0, usd: 0, toolCalls: 0, turns: 0, ...limits } }), onAsk);

  test.each([
    ['tokens', { tokens: 1_999 }],
    ['usd', { usd: 0.009 }],
  ])('%s are reserved before they are spent', (limit, limits) => {
    expect(next(limited(limits).state, facts())).toMatchObject({ kind: 'limit', reached: { limit } });
  });

  test('turns', () => {
    const log = answer(limited({ turns: 1 }), calls('read'), 'tool_use');
    expect(next(finish(log, 0).state, facts())).toMatchObject({ kind: 'limit', reached: { limit: 'turns', offer: 3 } });
  });

  test('a session with unknown costs cannot enforce a budget in dollars', () => {
    const log = limited({});
    log.add({
      type: 'model.attempted',
      run,
      purpose: 'title',
      turn: 0,
      model: 'm',
      attempt: 1,
      outcome: 'ok',
      usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
      usd: null,
    });
    expect(next(log.state, facts()).kind).toBe('model');
    log.add({ type: 'session.changed', limits: { tokens: 0, usd: 5, toolCalls: 0, turns: 0 } });
    expect(next(log.state, facts())).toMatchObject({ kind: 'finish', outcome: 'failed' });
  });

  test('a budget in dollars cannot be enforced with an unknown price', () => {
    expect(next(limited({ usd: 5 }).state, facts({ usd: null }))).toMatchObject({ kind: 'finish', outcome: 'failed' });
  });

  test('an open question about a limit parks the run; raising the limit continues it; refusing ends it', () => {
    const log = limited({ tokens: 1_000 }, 'wait');
    const subject = { kind: 'limit', limit: 'tokens', used: 0, cap: 1_000, offer: 3_000 } as const;
    log.add({ type: 'approval.asked', run, approval: 'p', turn: 0, subject, title: '', reason: '', expiresAt: 9 });
    expect(next(log.state, facts()).kind).toBe('park');
    log.add({ type: 'approval.answered', run, approval: 'p', answer: 'rejected', by: 'me' });
    expect(next(log.state, facts())).toMatchObject({ kind: 'finish', outcome: 'limit' });
  });
});

describe('a full window', () => {
  test('is compacted once, then the run ends', () => {
    const log = answer(begin(createLog()), calls('read'), 'tool_use');
    finish(log, 0);
    const full = facts({ promptTokens: 100_001 });
    expect(next(log.state, full).kind).toBe('compact');
    log.add({ type: 'context.compacted', run, turn: 1, summary: 'notes', firstKept: 'a1', dropped: 1 });
    expect(log.state.messages.map((message) => message.id)).toEqual(['summary-9', 'a1', 'results-1']);
    expect(next(log.state, full)).toMatchObject({ kind: 'finish', outcome: 'failed' });
  });
});
