import type { Entry } from '@klaus/sdk/conversation';
import type { Event } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { toEntryLines } from './entry-lines.ts';
import { createViewStyle } from './view-style.ts';

const toFact = (event: object): Entry =>
  ({ kind: 'fact', id: 'f', seq: 1, at: 0, turn: 1, event: event as Event }) as unknown as Entry;

const EVIDENCE = { command: 'npm test', exitCode: 0, freshness: 'fresh', checks: [] };
const ENTRIES: readonly Entry[] = [
  { kind: 'model', id: 'm', seq: 1, at: 0, turn: 1, text: 'Done.', thinking: '' } as unknown as Entry,
  toFact({ type: 'workspace.committed', commit: '71b5407b17aa', ref: 'refs/klaus/checkpoints/X', files: 1 }),
  toFact({
    ...{ type: 'run.finished', outcome: 'done', reason: '', turns: 4, toolCalls: 3, usd: 0.01 },
    ...{ usage: { input: 10_482, output: 171, cacheRead: 0, cacheWrite: 0 }, evidence: [EVIDENCE] },
  }),
];

function toText(isExpanded: boolean, entries = ENTRIES): string {
  const options = { width: 100, style: createViewStyle('none'), now: 0, spinner: '', output: '', isInterrupted: false };
  return entries.flatMap((_, index) => toEntryLines(entries, index, { ...options, isExpanded })).join('\n');
}

test('checkpoints, tokens and costs are only in the complete view, and receipts in both', () => {
  expect(toText(true)).toMatch(/checkpoint 71b5407b17[\s\S]*npm test[\s\S]*4 turns, 3 tool calls/);
  // The receipts begin something new, as if nothing was between them and the answer.
  expect(toText(false)).toBe('\n● Done.\n\n✓ npm test exit 0');
});

const toAttempt = (attempt: number, retryInMs?: number): Entry =>
  toFact({
    ...{ type: 'model.attempted', at: 0, turn: 1, attempt, retryInMs, purpose: 'turn' },
    ...{ outcome: 'overloaded', model: 'x/y', message: 'Overloaded' },
  });

test('the attempts of one request share one row, which counts them', () => {
  const attempts = [toAttempt(1, 1_000), toAttempt(2, 2_000), toAttempt(3, 4_000)];
  expect(toText(false, attempts)).toBe('\n! x/y: Overloaded; retrying in 4.0 s (attempt 3)');
  expect(toText(true, attempts).split('\n')).toHaveLength(4);
});

test('the end of a run replaces the last attempt, which has the same reason', () => {
  const end = { type: 'run.finished', outcome: 'model_failed', reason: 'The model failed: Overloaded', evidence: [] };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  const finished = toFact({ ...end, turns: 1, toolCalls: 0, usd: 0, usage });
  expect(toText(false, [toAttempt(1, 1_000), toAttempt(2), finished])).toBe(
    '\n✗ The model failed: Overloaded (attempt 2)',
  );
});

test('a session without a sandbox says so, and another one does not', () => {
  const opened = (sandbox: string): Entry =>
    toFact({ type: 'session.opened', session: 's', model: 'x/y', mode: 'ask', sandbox, limits: {} });
  expect(toText(false, [opened('bubblewrap')])).toBe('');
  expect(toText(false, [opened('host')])).toContain('no sandbox');
});
