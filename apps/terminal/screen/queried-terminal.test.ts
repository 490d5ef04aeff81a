import { expect, test } from 'vitest';
import { readsSixel } from './queried-terminal.ts';

test.each([
  ['\u001b[?62;4;22c', true],
  ['\u001b[?1u\u001b[?64;1;2;4;6c', true],
  ['\u001b[?1;2;4c', true],
  ['\u001b[?1;2c', false],
  ['\u001b[?4;6c', false],
  ['\u001b[?62;14;44c', false],
  ['\u001b[?6c', false],
  ['\u001b[?62;4', undefined],
  ['\u001b[>1;4;0c', undefined],
  ['a key', undefined],
])('of the answer %j, sixel is %s', (answer, expected) => {
  expect(readsSixel(answer)).toBe(expected);
});
