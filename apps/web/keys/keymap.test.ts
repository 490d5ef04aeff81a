import { describe, expect, test } from 'vitest';
import type { PageCommand } from '../actions/page-command.ts';
import { COMMANDS } from '../actions/commands.ts';
import { en } from '../text/en.ts';
import { hasCharacter, isCharacter, isNextQuestion, matchKeys, showKeys, toWord } from './keymap.ts';

const NONE = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

describe('keys', () => {
  test('have one notation on all keyboards and systems', () => {
    expect(toWord({ ...NONE, key: 'k', ctrlKey: true })).toBe('mod+k');
    expect(toWord({ ...NONE, key: 'k', metaKey: true })).toBe('mod+k');
    expect(toWord({ ...NONE, key: '?', shiftKey: true })).toBe('?');
    expect(toWord({ ...NONE, key: 'Delete', shiftKey: true })).toBe('shift+Delete');
  });

  test('of a sequence match after the last one', () => {
    const all = [{ keys: 'g u' }, { keys: 'x' }];
    expect(matchKeys(['g'], all)).toEqual({ kind: 'prefix' });
    expect(matchKeys(['g', 'u'], all)).toEqual({ kind: 'complete', found: { keys: 'g u' } });
    expect(matchKeys(['g', 'x'], all)).toEqual({ kind: 'none' });
  });

  test('are shown in the notation of the system', () => {
    expect(showKeys('mod+k', false)).toBe('Ctrl-K');
    expect(showKeys('mod+k', true)).toBe('⌘K');
    expect(showKeys('g u', false)).toBe('g u');
  });
});

describe('commands', () => {
  test('have shortcuts that are unique where they are available, none the prefix of another', () => {
    const keys = COMMANDS.flatMap((command) => command.keys ?? []);
    // Tabs of a session, of which one is shown.
    const tabs: readonly PageCommand['in'][] = ['conversation', 'changes', 'file'];
    for (const [key, same] of Map.groupBy(COMMANDS, (command) => command.keys)) {
      if (key === undefined || same.length === 1) continue;
      const places = same.map((command) => command.in);
      expect(new Set(places).size, key).toBe(places.length);
      expect(tabs, key).toEqual(expect.arrayContaining(places));
    }
    for (const one of keys) expect(keys.filter((it) => it.startsWith(`${one} `))).toEqual([]);
  });

  test('have a title, and a unique name in the message field', () => {
    for (const command of COMMANDS) expect(command.title(en), command.id).not.toBe('');
    const names = COMMANDS.flatMap(({ slash, aliases = [] }) => [...(slash ? [slash] : []), ...aliases]);
    expect(new Set(names)).toEqual(new Set(Object.keys(en.slash)));
    expect(names.length).toBe(Object.keys(en.slash).length);
  });
});

test('an AltGr character is a single character', () => {
  const press = { key: '@', ctrlKey: true, metaKey: false, altKey: true, shiftKey: false };
  expect(toWord(press)).toBe('@');
  expect(isCharacter(press)).toBe(true);
  expect(toWord({ ...press, ctrlKey: false })).toBe('@');
  expect(toWord({ ...press, key: 'k' })).toBe('mod+alt+k');
  expect(isCharacter({ ...press, key: 'Enter', ctrlKey: false })).toBe(false);
});

test('single-key shortcuts are distinguished from others', () => {
  expect(['n', 'g u', '+', '?'].map(hasCharacter)).toEqual([true, true, true, true]);
  expect(['mod+k', 'shift+Delete', 'mod+Enter', 'ArrowUp'].map(hasCharacter)).toEqual([false, false, false, false]);
  expect(showKeys('+', false)).toBe('+');
});

test('Alt-Q is recognized on a Mac, and is not AltGr-Q of a German keyboard', () => {
  const press = { ...NONE, altKey: true, key: 'q', code: 'KeyQ' };
  expect(isNextQuestion(press)).toBe(true);
  expect(isNextQuestion({ ...press, key: 'œ' })).toBe(true);
  expect(isNextQuestion({ ...press, key: 'a', code: 'KeyQ' })).toBe(false);
  expect(isNextQuestion({ ...press, key: '@' })).toBe(false);
  expect(isNextQuestion({ ...press, ctrlKey: true })).toBe(false);
  expect(isNextQuestion({ ...press, altKey: false })).toBe(false);
});
