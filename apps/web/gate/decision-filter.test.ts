import type { DecisionView } from '@klaus/server/contract';
import { expect, test } from 'vitest';
import { toDecisionRows } from './decision-filter.ts';

const decision = (seq: number, call: string, fields: Partial<DecisionView>): DecisionView =>
  ({ seq, call, verdict: 'allow', rule: 'grant', findings: [], ...fields }) as DecisionView;

test('a question and its approval are one row', () => {
  const approval = { rule: 'approval' } as const;
  const all = [
    decision(1, 'a', {}),
    decision(2, 'b', { verdict: 'ask' }),
    decision(3, 'c', { verdict: 'ask' }),
    decision(4, 'b', approval),
    decision(5, 'd', approval),
  ];
  expect(toDecisionRows(all).map((row) => [row.decision.seq, row.asked?.seq])).toEqual([
    [1, undefined],
    [3, undefined],
    [4, 2],
    [5, undefined],
  ]);
});
