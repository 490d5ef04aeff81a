import { expect, test } from 'vitest';
import { isKlausError, KlausError, toKlausError } from './klaus-error.ts';

test('a KlausError is known by its mark, not by its class', () => {
  class Other extends Error {}
  const error = new KlausError('denied', 'no', { hint: 'ask' });
  const copy = Object.create({}, Object.getOwnPropertyDescriptors(error));
  expect(isKlausError(error)).toBe(true);
  expect(isKlausError(copy)).toBe(true);
  expect(isKlausError(new Other('no'))).toBe(false);
  expect(toKlausError(error, 'internal')).toBe(error);
  expect(toKlausError(new Other('no'), 'tool.failed')).toMatchObject({ code: 'tool.failed', message: 'no' });
});
