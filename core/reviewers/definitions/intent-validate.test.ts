import { expect, test } from 'vitest';
import { intentValidate } from './intent-validate.ts';

const decide = (request: string, changed: string[] = []) =>
  intentValidate.decide({ request: [request], changed, recent: [{ role: 'assistant', text: 'Done.' }] })?.outcome;

test('changes after a question, and of excluded files, are off topic', () => {
  expect(decide('Why is the build slow?', ['src/a.ts'])).toBe('deny');
  expect(decide('Speed up the build, but leave src/a.ts unchanged.', ['src/a.ts'])).toBe('deny');
});

test('an answer to a question and changes of the named files are on topic', () => {
  expect(decide('Why is the build slow?')).toBe('pass');
  expect(decide('Fix the typo in src/a.ts', ['src/a.ts'])).toBe('pass');
});

test('everything else is left to the model', () => {
  expect(decide('Speed up the build.', ['src/a.ts'])).toBeUndefined();
  expect(decide('Speed up the build.')).toBeUndefined();
});
