import { expect, test } from 'vitest';
import { recallPrompt } from './history.ts';

const HISTORY = ['first', 'second\nline'];

test('goes back from an empty field, and forward again to its text', () => {
  const one = recallPrompt(HISTORY, undefined, { by: -1, text: '' });
  expect(one?.text).toBe('second\nline');
  const two = recallPrompt(HISTORY, one?.recall, { by: -1, text: one!.text });
  expect(two?.text).toBe('first');
  const stays = recallPrompt(HISTORY, two?.recall, { by: -1, text: two!.text });
  expect(stays?.text).toBe('first');
  const three = recallPrompt(HISTORY, two?.recall, { by: 1, text: 'first' });
  expect(three?.text).toBe('second\nline');
  expect(recallPrompt(HISTORY, three?.recall, { by: 1, text: three!.text })).toEqual({ recall: undefined, text: '' });
});

test('does not handle arrow keys in a typed or edited text', () => {
  expect(recallPrompt(HISTORY, undefined, { by: -1, text: 'typed' })).toBeUndefined();
  expect(recallPrompt(HISTORY, undefined, { by: 1, text: '' })).toBeUndefined();
  const one = recallPrompt(HISTORY, undefined, { by: -1, text: '' });
  expect(recallPrompt(HISTORY, one?.recall, { by: -1, text: 'second\nline!' })).toBeUndefined();
});

test('does not handle arrow keys without a history', () => {
  expect(recallPrompt([], undefined, { by: -1, text: '' })).toBeUndefined();
});
