import { expect, test } from 'vitest';
import { findJsonFault } from './json-fault.ts';

test.each([
  ['{"a": x}', 1, 7],
  ['{"path":"a.txt","cont', 1, 17],
  ['{"a":1\n "b":2}', 2, 2],
  [String.raw`{"a":"\d"}`, 1, 6],
  ['{"a":1}{"b":2}', 1, 8],
  ['{"a":1,}', 1, 8],
  ['{"a":"He said "hi" now"}', 1, 16],
  ['', 1, 1],
])('%j has a position', (text, line, column) => {
  expect(findJsonFault(text)).toContain(`line ${line}, column ${column}`);
});

test('quotes a short piece of a long text, without half a character', () => {
  const text = `{"a":"${'\u{1F600}'.repeat(10_000)}" x}`;
  const fault = findJsonFault(text)!;
  expect(fault.length).toBeLessThan(300);
  expect(fault.isWellFormed()).toBe(true);
});

test.each(['{"a":1}', ' [1] ', '"a"', 'null'])('%j is valid', (text) => {
  expect(findJsonFault(text)).toBeUndefined();
});
