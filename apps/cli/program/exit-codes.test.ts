import { ERROR_CODES, KlausError, outcomeSchema } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { EXIT, outcomeToExitCode, toExitCode } from './exit-codes.ts';

test('only a run that is done exits with 0', () => {
  const codes = outcomeSchema.options.map((outcome) => [outcome, outcomeToExitCode(outcome)]);
  expect(codes).toEqual([
    ['done', 0],
    ['failed', 1],
    ['model_failed', 4],
    ['limit', 5],
    ['denied', 6],
    ['cancelled', 130],
  ]);
  expect(ERROR_CODES.filter((code) => toExitCode(new KlausError(code, 'x')) === 0)).toEqual([]);
});

test('a key that the provider refused is a matter of configuration', () => {
  expect(outcomeToExitCode('model_failed', 'auth')).toBe(EXIT.config);
  expect(toExitCode(new KlausError('auth', 'no key'))).toBe(EXIT.config);
});

test('errors of Klaus have the code of their kind, everything else is a failure', () => {
  expect(toExitCode(new KlausError('sandbox.unavailable', 'x'))).toBe(7);
  expect(toExitCode(new KlausError('store.busy', 'x'))).toBe(9);
  // A code alone is no KlausError: Node's own errors have one too.
  expect(toExitCode(Object.assign(new Error('x'), { code: 'usage' }))).toBe(1);
  expect(toExitCode('thrown text')).toBe(1);
  expect(toExitCode(undefined)).toBe(1);
});
