import { expect, test } from 'vitest';
import { planValidate } from './plan-validate.ts';

const decide = (plan: string, more: { request?: string[]; previous?: string } = {}) =>
  planValidate.decide({ plan, complete: false, request: [], ...more })?.outcome;

test('an empty plan is denied, and one whose check marks changed passes', () => {
  expect(decide(' \n')).toBe('deny');
  expect(decide('- [x] Add `a` to `src/a.ts`', { previous: '- [ ] Add `a` to `src/a.ts`\n' })).toBe('pass');
  expect(decide('- Add `b` to `src/a.ts`', { previous: '- Add `a` to `src/a.ts`' })).toBeUndefined();
});

test('a plan that changes what the user excluded is denied', () => {
  const request = ['Add a flag. Do not change src/main.ts.'];
  expect(decide('1. Add the flag to `src/main.ts`.', { request })).toBe('deny');
  expect(decide('1. Add the flag to `src/flags.ts`.', { request })).toBeUndefined();
});
