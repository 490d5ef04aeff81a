import { expect, test } from 'vitest';
import { recallPrompt } from './history.ts';

const SAID = ['first', 'second\nline'];

test('goes back from an empty field, and forth again to what was there', () => {
  const one = recallPrompt(SAID, undefined, { by: -1, text: '' });
  expect(one?.text).toBe('second\nline');
  const two = recallPrompt(SAID, one?.recall, { by: -1, text: one!.text });
  expect(two?.text).toBe('first');
  const stays = recallPrompt(SAID, two?.recall, { by: -1, text: two!.text });
  expect(stays?.text).toBe('first');
  const three = recallPrompt(SAID, two?.recall, { by: 1, text: 'first' });
  expect(three?.text).toBe('second\nline');
  expect(recallPrompt(SAID, three?.recall, { by: 1, text: three!.text })).toEqual({ recall: undefined, text: '' });
});

test('leaves the arrows alone in a text that was typed, or recalled and then changed', () => {
  expect(recallPrompt(SAID, undefined, { by: -1, text: 'typed' })).toBeUndefined();
  expect(recallPrompt(SAID, undefined, { by: 1, text: '' })).toBeUndefined();
  const one = recallPrompt(SAID, undefined, { by: -1, text: '' });
  expect(recallPrompt(SAID, one?.recall, { by: -1, text: 'second\nline!' })).toBeUndefined();
});

test('has nothing to recall where nothing was said', () => {
  expect(recallPrompt([], undefined, { by: -1, text: '' })).toBeUndefined();
});
