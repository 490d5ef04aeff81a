import { expect, test } from 'vitest';
import type { ModelEvent } from '@klaus/core/agent';
import { createUsageCheck } from './usage-check.ts';

const INFO = { contextWindow: 4_096, maxOutputTokens: 64, images: false, prices: [] };
const SENT = { textBytes: 400, images: 0, maxOutputTokens: 16 };

const finish = (output: number, stopReason: 'end_turn' | 'stop_sequence' = 'end_turn'): ModelEvent => ({
  ...{ type: 'finished', stopReason, parts: [{ type: 'text', text: 'Once upon a time' }] },
  usage: { input: 30, output, cacheRead: 0, cacheWrite: 0 },
});

test('an answer with all of the requested tokens was cut, also if the server reports its end', () => {
  const check = createUsageCheck(SENT, INFO);
  expect(check(finish(16))).toEqual({ ...finish(16), stopReason: 'max_tokens' });
  // Some servers count reasoning that the limit does not include.
  for (const event of [finish(15), finish(17), finish(16, 'stop_sequence')]) expect(check(event)).toBe(event);
});
