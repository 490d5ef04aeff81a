import { expect, test } from 'vitest';
import { toEndText, toPromptResponse } from './stop-reason.ts';

const USAGE = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };

function finished(fields: object): Parameters<typeof toEndText>[0] {
  return { outcome: 'done', reason: 'It ended.', usage: USAGE, ...fields } as Parameters<typeof toEndText>[0];
}

test.each([
  [{}, { stopReason: 'end_turn' }, 'end_turn'],
  [{}, { stopReason: 'refusal' }, 'refusal'],
  [{}, { stopReason: 'max_tokens' }, 'max_tokens'],
  [{}, { stopReason: 'model_context_window_exceeded' }, 'max_tokens'],
  [{ outcome: 'cancelled' }, { stopReason: 'end_turn' }, 'cancelled'],
  [{ outcome: 'denied' }, {}, 'end_turn'],
  [{ outcome: 'limit', limit: { limit: 'tokens' } }, {}, 'max_tokens'],
  [{ outcome: 'limit', limit: { limit: 'turns' } }, {}, 'max_turn_requests'],
  [{ outcome: 'limit' }, {}, 'max_turn_requests'],
] as const)('%o with %o is %s', (fields, facts, stopReason) => {
  expect(toPromptResponse(finished(fields), facts)).toMatchObject({ stopReason, usage: { totalTokens: 10 } });
});

test('a failure is an error, and one of a key asks for authentication', () => {
  const code = (fields: object, attempt?: 'auth'): number => {
    try {
      toPromptResponse(finished(fields), attempt ? { attempt } : {});
    } catch (error) {
      return (error as { code: number }).code;
    }
    return 0;
  };
  expect(code({ outcome: 'failed' })).toBe(-32_603);
  expect(code({ outcome: 'model_failed' })).toBe(-32_603);
  expect(code({ outcome: 'model_failed' }, 'auth')).toBe(-32_000);
  expect(code({ outcome: 'failed', error: { code: 'auth', hint: 'Set a key.' } })).toBe(-32_000);
});

test('limits and denials are explained, with what to do', () => {
  expect(toEndText(finished({ outcome: 'limit' }))).toBe('It ended.');
  expect(toEndText(finished({ outcome: 'denied', error: { code: 'denied', hint: 'Ask.' } }))).toBe('It ended. Ask.');
  expect(toEndText(finished({}))).toBeUndefined();
});
