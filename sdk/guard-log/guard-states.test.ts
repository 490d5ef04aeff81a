import type { HostEventOf } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { foldGuardStates } from './guard-states.ts';

type Changed = HostEventOf<'guard.changed'>;

const FILE = '/home/me/.claude/settings.json';

const fold = (...states: Changed['state'][]) =>
  foldGuardStates(
    states.map((state, at): Changed => {
      const facts = { type: 'guard.changed', v: 1, seq: at + 1, at: at + 1 } as const;
      return { ...facts, workspace: '/home/me/.claude', of: FILE, place: 'user', state, reason: state } as Changed;
    }),
  ).map(({ state, isDismissed }) => [state, isDismissed]);

test('an installation has the state of its last event', () => {
  expect(fold('on')).toEqual([['on', false]]);
  expect(fold('on', 'off')).toEqual([['off', false]]);
  expect(fold('on', 'off', 'dismissed')).toEqual([['off', true]]);
  expect(fold('on', 'off', 'dismissed', 'on')).toEqual([['on', false]]);
  expect(fold('on', 'removed')).toEqual([]);
});

test('a check that ends after the installation was removed does not bring it back', () => {
  expect(fold('on', 'removed', 'off')).toEqual([]);
  expect(fold('on', 'off', 'removed', 'off', 'off')).toEqual([]);
  expect(fold('on', 'removed', 'off', 'on')).toEqual([['on', false]]);
});
