import { expect, test } from 'vitest';
import { findErrors } from '../errors/find-errors.ts';
import { errorAcknowledge } from './error-acknowledge.ts';

const decide = (output: string, said: string[] = [], acknowledged: string[] = []) =>
  errorAcknowledge.decide({
    recent: [{ role: 'tool', text: output }, ...said.map((text) => ({ role: 'assistant' as const, text }))],
    acknowledged,
  })?.outcome;

test.each([
  'TypeError: x is not a function',
  "src/a.ts(3,5): error TS2322: Type 'string' is not assignable",
  'Traceback (most recent call last):',
  'fatal: not a git repository',
  'sh: 1: foo: not found',
  '--- FAIL: TestParse (0.00s)',
  'Tests  2 failed | 10 passed',
  'error[E0308]: mismatched types',
  'npm ERR! code ELIFECYCLE',
])('%s is an error that the model looks at', (output) => {
  expect(decide(output)).toBeUndefined();
});

test.each([
  'ok\n0 errors, 0 warnings',
  'src/errors.ts\nsrc/error-page.tsx',
  'Tests  12 passed',
  '12: // TypeError: see the docs',
  '+  throw new Error("x");',
])('%s is none', (output) => {
  expect(decide(output)).toBe('pass');
});

test('an error that the agent names is acknowledged; a claim of success does not count', () => {
  expect(decide('TypeError: x is not a function', ['The TypeError comes from the import.'])).toBe('pass');
  expect(decide('TypeError: x is not a function', ['Now the docs.'])).toBeUndefined();
  expect(decide('TypeError: x is not a function', ['No TypeError errors, all tests pass.'])).toBeUndefined();
});

test('an acknowledged error is the same with other numbers and folders', () => {
  const [error] = findErrors('Error: cannot open /tmp/a1 at line 12');
  expect(decide('Error: cannot open /tmp/b2 at line 99', [], [error!.fingerprint])).toBe('pass');
  expect(decide('Error: cannot write /tmp/b2 at line 99', [], [error!.fingerprint])).toBeUndefined();
});
