import { expect, test } from 'vitest';
import type { Event } from '../../protocol/index.ts';
import { createState } from '../state/state.ts';
import { LogOrder } from './log-order.ts';

const notice = (seq: number): Event => ({
  ...{ v: 3, session: '01TEST', seq, prev: '', at: seq },
  ...{ type: 'notice', level: 'info', text: `number ${seq}` },
});

function setUp() {
  const state = createState();
  const order = new LogOrder(state);
  const begin = () => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Event[]>();
    const done = order.run(() => promise);
    return { done, reject, resolve: (...seqs: number[]) => resolve(seqs.map(notice)) };
  };
  return { state, begin };
}

test('appends that return in another order are folded in the order of the log', async () => {
  const { state, begin } = setUp();
  const [first, second, third] = [begin(), begin(), begin()];
  const ended: string[] = [];
  const all = [first, second, third].map(async ({ done }, index) => {
    await done;
    ended.push(`${index} at ${state.seq}`);
  });
  third.resolve(4, 5);
  second.resolve(2, 3);
  first.resolve(1);
  await Promise.all(all);
  expect(ended.map((text) => text.slice(0, 1))).toEqual(['0', '1', '2']);
  expect(state.seq).toBe(5);
});

test('an append that only consumes waits for no other', async () => {
  const { state, begin } = setUp();
  const open = begin();
  const empty = begin();
  empty.resolve();
  await empty.done;
  open.resolve(1);
  await open.done;
  expect(state.seq).toBe(1);
});

test('a refused append fails alone', async () => {
  const { state, begin } = setUp();
  const [refused, next] = [begin(), begin()];
  next.resolve(1);
  refused.reject(new Error('refused'));
  await expect(refused.done).rejects.toThrow('refused');
  await next.done;
  expect(state.seq).toBe(1);
});

test('an append whose result was lost fails those behind it instead of blocking them', async () => {
  const { state, begin } = setUp();
  const [lost, next] = [begin(), begin()];
  next.resolve(2);
  lost.reject(new Error('connection closed'));
  await expect(lost.done).rejects.toThrow('connection closed');
  await expect(next.done).rejects.toMatchObject({ code: 'internal' });
  expect(state.seq).toBe(0);
});
