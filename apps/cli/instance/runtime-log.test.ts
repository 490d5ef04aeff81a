import type { Event } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createRuntimeLines } from './runtime-log.ts';

const envelope = { v: 3, prev: '', session: '01KE000000000000000SESSION', at: 0 };
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
const ended = { turns: 1, toolCalls: 0, usage, usd: null, evidence: [] };

/** The lines of some events, by type. */
function linesOf(bodies: readonly object[]) {
  const toLines = createRuntimeLines();
  return bodies.flatMap((body, index) => toLines({ ...envelope, seq: index + 1, ...body } as Event));
}

const finish = (outcome: string, more: object = {}) => ({
  type: 'run.finished',
  run: 'r',
  outcome,
  reason: 'The reason.',
  ...ended,
  ...more,
});

test('the end of a run is a result or an error, and then done', () => {
  const message = { id: 'm', role: 'assistant', origin: 'model', parts: [{ type: 'text', text: 'It works.' }] };
  expect(linesOf([{ type: 'message.added', run: 'r', message }, finish('done')])).toMatchObject([
    { type: 'message', text: 'It works.', seq: 1, part: 0 },
    { type: 'result', result: 'It works.', seq: 2, part: 0 },
    { type: 'done', status: 'done', seq: 2, part: 1 },
  ]);
  expect(linesOf([finish('model_failed', { error: { code: 'auth', hint: '' } })])).toMatchObject([
    { type: 'error', code: 'auth' },
    { type: 'done', status: 'failed' },
  ]);
  expect(linesOf([finish('cancelled')])).toMatchObject([{ type: 'done', status: 'interrupted' }]);
});

test('the session of a program that drives the agent is a claude-session', () => {
  const opened = {
    type: 'runner.opened',
    run: 'r',
    runner: 'acp',
    agent: 'Claude Code 1',
    agentSession: 'b2f1',
    resumed: true,
  };
  expect(linesOf([opened])).toMatchObject([{ type: 'claude-session', claudeSessionId: 'b2f1', resumed: true }]);
});

test('failures of calls and of requests, and notices, are log lines', () => {
  const bodies = [
    { type: 'tool.finished', name: 'read_file', outcome: 'error', output: 'There is no such file.' },
    { type: 'model.attempted', outcome: 'overloaded', message: 'Overloaded' },
    { type: 'model.attempted', outcome: 'ok' },
    { type: 'notice', level: 'warn', text: 'Look.' },
  ];
  expect(linesOf(bodies)).toMatchObject([
    { type: 'log', level: 'warn', message: expect.stringContaining('read_file') },
    { type: 'log', level: 'warn', message: 'Overloaded' },
    { type: 'log', level: 'warn', message: 'Look.' },
  ]);
});
