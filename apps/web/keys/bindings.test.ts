import { expect, test } from 'vitest';
import { COMMANDS } from '../actions/commands.ts';
import { boundKeys, findConflict, isReserved } from './bindings.ts';

test('a changed shortcut replaces the default one, and an empty one removes it', () => {
  expect(boundKeys('g u', {})).toBe('g u');
  expect(boundKeys('g u', { 'g u': 'z' })).toBe('z');
  expect(boundKeys('g u', { 'g u': '' })).toBeUndefined();
  expect(boundKeys('constructor', {})).toBe('constructor');
});

test('a shortcut that another command has, or begins, is a conflict', () => {
  const all = [{ keys: 'g u' }, { keys: 'n' }, { keys: 'mod+k' }, {}];
  const find = (keys: string, bindings = {}) => findConflict(all, { of: 'mod+k', keys, bindings })?.keys;
  expect(find('n')).toBe('n');
  expect(find('g')).toBe('g u');
  expect(find('n n')).toBe('n');
  expect(find('mod+k')).toBeUndefined();
  // A command that gave its shortcut away does not keep it.
  expect(find('n', { n: 'z' })).toBeUndefined();
  expect(find('z', { n: 'z' })).toBe('n');
});

test('no default shortcut is reserved, except those that replace a function of the browser', () => {
  const reserved = COMMANDS.filter(({ keys }) => keys !== undefined && isReserved(keys));
  expect(reserved).toEqual([]);
  for (const keys of ['Tab', 'Enter', 'mod+c', 'mod+t', 'x Escape', 'ArrowUp', 'F5'])
    expect(isReserved(keys), keys).toBe(true);
});
