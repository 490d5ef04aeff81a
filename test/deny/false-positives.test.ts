// Covers core/policy/secrets: ordinary files of packages are not redacted.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { measure, pickFiles, toRate } from './false-positives.ts';

/** Percent of the lines that may be flagged. */
const BAR = 0.5;

test('at most one line in two hundred is taken for a secret', () => {
  const measured = measure(pickFiles([join(import.meta.dirname, '../../node_modules')], 400));
  expect(measured.lines).toBeGreaterThan(10_000);
  expect(toRate(measured)).toBeLessThan(BAR);
});
