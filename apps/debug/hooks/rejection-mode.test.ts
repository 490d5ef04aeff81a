import { expect, test } from 'vitest';
import { readRejectionMode } from './rejection-mode.ts';

test.each([
  [[], undefined, 'throw'],
  [['--unhandled-rejections=warn'], undefined, 'warn'],
  [['--unhandled-rejections', 'strict'], undefined, 'strict'],
  [[], '--max-old-space-size=100 --unhandled-rejections=none', 'none'],
  [['--unhandled-rejections=throw'], '--unhandled-rejections=none', 'throw'],
])('%j and %j: %s', (execArgv, nodeOptions, expected) => {
  expect(readRejectionMode(execArgv, nodeOptions)).toBe(expected);
});
