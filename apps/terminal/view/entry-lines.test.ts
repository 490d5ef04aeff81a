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

function toText(isExpanded: boolean): string {
  const options = { width: 100, style: createViewStyle('none'), now: 0, spinner: '', output: '', isInterrupted: false };
  return ENTRIES.flatMap((_, index) => toEntryLines(ENTRIES, index, { ...options, isExpanded })).join('\n');
}

test('checkpoints, tokens and costs are only in the complete view, and receipts in both', () => {
  expect(toText(true)).toMatch(/checkpoint 71b5407b17[\s\S]*npm test[\s\S]*4 turns, 3 tool calls/);
  // The receipts begin something new, as if nothing was between them and the answer.
  expect(toText(false)).toBe('\n● Done.\n\n✓ npm test exit 0');
});
