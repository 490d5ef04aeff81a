import type { Entry } from '@klaus/core/conversation';
import { expect, test } from 'vitest';
import { en } from '../text/en.ts';
import { toAmounts, toCause, toNeed } from './limit-cause.ts';

const base = { seq: 1, at: 0, turn: 0 };
const user = (text: string, attached: string): Entry => ({
  ...base,
  kind: 'user',
  id: 'm',
  text,
  steered: false,
  files: [{ type: 'file', name: 'log.txt', mediaType: 'text/plain', text: attached }],
  images: [],
});
const call = (name: string, at: number): Entry => ({
  ...base,
  kind: 'call',
  id: `${name} ${at}`,
  name,
  input: {},
  state: 'waiting',
  decisions: [],
});

test('the largest part of a conversation is the cause, if it is large', () => {
  expect(toCause('tokens', { entries: [user('hello', 'x'.repeat(600_000))] }, en)).toContain('log.txt');
  expect(toCause('usd', { entries: [user('x'.repeat(30_000), '')] }, en)).toContain(en.approval.yourMessage);
  expect(toCause('tokens', { entries: [user('hello', 'short')] }, en)).toBeUndefined();
});

test('the tools that were called most are the cause of a limit of calls', () => {
  const entries = [call('read_file', 1), call('run_command', 1), call('run_command', 2)];
  expect(toCause('toolCalls', { entries }, en)).toBe(en.approval.mostCalls('run_command (2), read_file (1)'));
  expect(toCause('turns', { entries: [] }, en)).toBeUndefined();
});

test('the need of the next step is what the offer was made for', () => {
  expect(toNeed({ limit: 'tokens', used: 0, cap: 100_000, offer: 285_347 })).toBe(228_277);
  expect(toNeed({ limit: 'turns', used: 1, cap: 1, offer: 3 })).toBe(1);
  expect(toNeed({ limit: 'usd', used: 0.5, cap: 1, offer: 3 })).toBeCloseTo(1.9);
  expect(toNeed({ limit: 'tokens', used: 95_000, cap: 100_000, offer: 150_000 })).toBeUndefined();
  expect(toAmounts(100)).toEqual([100, 200, 500]);
});
