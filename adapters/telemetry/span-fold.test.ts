import { EVENT_VERSION, type Event } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import type { FinishedSpan } from './finished-span.ts';
import { toSpanId, toTraceId } from './finished-span.ts';
import { SpanFold, type SpanFoldOptions } from './span-fold.ts';

const USAGE = { input: 10, output: 5, cacheRead: 3, cacheWrite: 2 };
const AT = { run: 'r1', turn: 1 };

/** Folds bodies as the log of one session, a second apart. */
function foldAll(bodies: readonly object[], options: Partial<SpanFoldOptions> = {}): FinishedSpan[] {
  const fold = new SpanFold(options);
  return bodies.flatMap((body, index) =>
    fold.add({ v: EVENT_VERSION, seq: index + 1, prev: '', session: 's1', at: (index + 1) * 1_000, ...body } as Event),
  );
}

const opened = (more: object = {}) => ({ type: 'session.opened', model: 'openai/gpt-x', ...more });
const attempt = (more: object) => ({
  type: 'model.attempted',
  ...AT,
  purpose: 'turn',
  model: 'openai/gpt-x',
  attempt: 1,
  outcome: 'ok',
  usage: USAGE,
  usd: null,
  ...more,
});
const started = { type: 'run.started', run: 'r1' };
const finished = { type: 'run.finished', run: 'r1', outcome: 'done', usage: USAGE, usd: 0.5, turns: 1, toolCalls: 0 };

test('each attempt is a span of its own, from its request, and the one that failed says by what', () => {
  const spans = foldAll([
    opened(),
    started,
    { type: 'turn.started', ...AT, model: 'openai/gpt-x' },
    attempt({ outcome: 'overloaded', status: 529, message: 'you said: hush' }),
    { type: 'model.requested', ...AT, purpose: 'turn', model: 'openai/gpt-x', attempt: 2 },
    attempt({ attempt: 2 }),
    { type: 'turn.finished', ...AT, stopReason: 'end_turn' },
    finished,
  ]);
  expect(spans.map(({ name, startedAt, endedAt }) => [name, startedAt, endedAt])).toEqual([
    ['chat gpt-x', 3_000, 4_000],
    ['chat gpt-x', 5_000, 6_000],
    ['invoke_agent klaus', 2_000, 8_000],
  ]);
  const [failed, second, run] = spans;
  expect(failed).toMatchObject({ failure: 'overloaded', parent: run!.span, kind: 'client' });
  expect(failed!.attributes).toMatchObject({ 'error.type': 'overloaded', 'http.response.status_code': 529 });
  expect(JSON.stringify(failed)).not.toContain('hush');
  expect(second!.attributes).toMatchObject({
    'gen_ai.response.finish_reasons': ['end_turn'],
    'gen_ai.usage.input_tokens': 15,
    'klaus.request.attempt': 2,
  });
  expect(second!.attributes).not.toHaveProperty('klaus.cost.usd');
});

test('a session that a call began is linked to that call, once', () => {
  const parent = { session: 's0', call: 'c7' };
  const again = [
    { ...started, run: 'r2' },
    { ...finished, run: 'r2' },
  ];
  const [first, second] = foldAll([opened({ parent, agent: 'scout' }), started, finished, ...again], {
    parentRun: 'r0',
  });
  expect(first).toMatchObject({
    name: 'invoke_agent scout',
    links: [{ trace: toTraceId('s0', 'r0'), span: toSpanId('s0', 'call', 'c7') }],
  });
  expect(second!.links).toEqual([]);
  expect(second!.trace).not.toBe(first!.trace);
});

test('ids are those of the protocol, and the same in every process', () => {
  const bodies = [opened(), started, finished];
  const [span] = foldAll(bodies);
  expect(span!.trace).toMatch(/^[0-9a-f]{32}$/);
  expect(span!.span).toMatch(/^[0-9a-f]{16}$/);
  expect(foldAll(bodies)).toEqual([span]);
});
