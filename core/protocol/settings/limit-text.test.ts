import { expect, test } from 'vitest';
import { describeAmount, describeOffer, describeUse, describeUsed } from './limit-text.ts';

test.each([
  [{ limit: 'toolCalls', used: 50, cap: 50, offer: 75 }, '50 tool calls used. Allow 25 more?'],
  [{ limit: 'turns', used: 1, cap: 1, offer: 3 }, '1 turn used. Allow 2 more?'],
  [{ limit: 'usd', used: 5, cap: 5, offer: 7.5 }, '$5.00 used. Allow $2.50 more?'],
  [{ limit: 'usd', used: 4.93, cap: 5, offer: 7.5 }, '$4.93 of $5.00 used. Allow $2.50 more?'],
  [
    { limit: 'tokens', used: 98_000, cap: 100_000, offer: 150_000 },
    '98,000 of 100,000 tokens used. Allow 50,000 more?',
  ],
  // The limit was lowered below what was used.
  [{ limit: 'toolCalls', used: 51, cap: 50, offer: 75 }, '51 tool calls used. Allow 24 more?'],
] as const)('%j', (reached, text) => expect(describeOffer(reached)).toBe(text));

test('an amount agrees with its noun, and a use never passes its limit', () => {
  expect(describeAmount('toolCalls', 1)).toBe('1 tool call');
  expect(describeAmount('usd', 0.004)).toBe('$0.0040');
  expect(describeUse({ limit: 'toolCalls', used: 8, cap: 50 })).toBe('8 of 50 tool calls');
  expect(describeUse({ limit: 'toolCalls', used: 51, cap: 50 })).toBe('51 tool calls, limit 50');
  expect(describeUse({ limit: 'toolCalls', used: 50, cap: 50 })).toBe('50 of 50 tool calls');
  expect(describeUsed({ limit: 'usd', used: 4.999, cap: 5 })).toBe('$5.00 used');
});
