import { expect, test } from 'vitest';
import { toClaimedName, toGroups } from './claims.ts';

test('groups are the strings of a claim or a path, and nothing that is inherited', () => {
  expect(toGroups({ groups: ['a', 1, 'b', null, ['c']] }, 'groups')).toEqual(['a', 'b']);
  expect(toGroups({ groups: 'a' }, 'groups')).toEqual(['a']);
  expect(toGroups({ realm_access: { roles: ['a'] } }, 'realm_access.roles')).toEqual(['a']);
  expect(toGroups({ 'https://example.com/groups': ['a'] }, 'https://example.com/groups')).toEqual(['a']);
  for (const path of ['constructor.name', '__proto__', 'groups.length', 'none.deeper']) {
    expect(toGroups({ groups: 'a' }, path)).toEqual([]);
  }
});

test('an e-mail address is a group only if it is verified, and a name unless it is known to be unverified', () => {
  const person = { sub: 'id-1', email: 'a@example.com' };
  expect(toGroups({ ...person, email_verified: true }, 'email')).toEqual(['a@example.com']);
  for (const email_verified of [false, 'true', 1, undefined]) {
    expect(toGroups({ ...person, email_verified }, 'email')).toEqual([]);
  }
  expect(toClaimedName(person, 'email')).toBe('a@example.com');
  expect(toClaimedName({ ...person, email_verified: false }, 'email')).toBe('id-1');
  expect(toClaimedName({ ...person, email: '\u0000\u202e' }, 'email')).toBe('id-1');
});
