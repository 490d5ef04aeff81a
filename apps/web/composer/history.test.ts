import { expect, test } from 'vitest';
import { recallSaid } from './history.ts';

const SAID = ['first', 'second\nline'];

test('goes back from an empty field, and forth again to what was there', () => {
  const one = recallSaid(SAID, undefined, { by: -1, text: '' });
  expect(one?.text).toBe('second\nline');
  const two = recallSaid(SAID, one?.recall, { by: -1, text: one!.text });
  expect(two?.text).toBe('first');
  const stays = recallSaid(SAID, two?.recall, { by: -1, text: two!.text });
  expect(stays?.text).toBe('first');
  const three = recallSaid(SAID, two?.recall, { by: 1, text: 'first' });
  expect(three?.text).toBe('second\nline');
  expect(recallSaid(SAID, three?.recall, { by: 1, text: three!.text })).toEqual({ recall: undefined, text: '' });
});

test('leaves the arrows alone in a text that was typed, or recalled and then changed', () => {
  expect(recallSaid(SAID, undefined, { by: -1, text: 'typed' })).toBeUndefined();
  expect(recallSaid(SAID, undefined, { by: 1, text: '' })).toBeUndefined();
  const one = recallSaid(SAID, undefined, { by: -1, text: '' });
  expect(recallSaid(SAID, one?.recall, { by: -1, text: 'second\nline!' })).toBeUndefined();
});

test('has nothing to recall where nothing was said', () => {
  expect(recallSaid([], undefined, { by: -1, text: '' })).toBeUndefined();
});
