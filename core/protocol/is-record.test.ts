import { expect, test } from 'vitest';
import { isRecord } from './is-record.ts';

test.each<[value: unknown, is: boolean]>([
  [{}, true],
  [{ a: 1 }, true],
  [Object.create(null), true],
  [new Error('x'), true],
  [null, false],
  [undefined, false],
  [[], false],
  [[{}], false],
  [() => {}, false],
  ['text', false],
  [1, false],
])('%o is a record: %s', (value, is) => {
  expect(isRecord(value)).toBe(is);
});
