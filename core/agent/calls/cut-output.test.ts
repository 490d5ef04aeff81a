import { expect, test } from 'vitest';
import { cutOutput } from './cut-output.ts';

test('a long output keeps 60 % of its head and 30 % of its tail, and states how much is missing', () => {
  const cut = cutOutput(`${'a'.repeat(700)}${'b'.repeat(600)}`, 1_000);
  expect(cut.startsWith('a'.repeat(600))).toBe(true);
  expect(cut.endsWith('b'.repeat(300))).toBe(true);
  expect(cut).toContain('400');
  expect(cutOutput('short', 1_000)).toBe('short');
});
