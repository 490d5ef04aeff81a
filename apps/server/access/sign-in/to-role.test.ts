import { expect, test } from 'vitest';
import { toRole } from './to-role.ts';

const MAPPING = ['staff=operator', 'a=b=admin', '*=viewer'];

test.each([
  [['staff'], 'operator'],
  [['a=b', 'staff'], 'admin'],
  [['Staff', 'a', 'b', 'admin'], 'viewer'],
  [[], 'viewer'],
])('%j is %s', (groups, role) => {
  expect(toRole(groups, MAPPING)).toBe(role);
});

test('a group that is named `*`, or none, is not everyone', () => {
  expect(toRole(['*'], ['staff=admin'])).toBeUndefined();
  expect(toRole(['other'], [])).toBeUndefined();
});
