import { expect, test } from 'vitest';
import { readPairs, splitCommand } from './split-command.ts';

test.each([
  ['npx -y server .', ['npx', '-y', 'server', '.']],
  ['run\n  "two words"\n\'a "b"\' ', ['run', 'two words', 'a "b"']],
  ['run --name="x y" ""', ['run', '--name=x y', '']],
  ["it's $HOME", ["it's", '$HOME']],
  ['  ', []],
])('the words of %j', (text, words) => {
  expect(splitCommand(text)).toEqual(words);
});

test('pairs keep further separators in their values', () => {
  expect(readPairs('A=1\n\n B = x=y \n', '=')).toEqual({ pairs: { A: '1', B: 'x=y' } });
  expect(readPairs('Authorization: Bearer a:b', ':')).toEqual({ pairs: { Authorization: 'Bearer a:b' } });
  expect(readPairs('A=1\nnothing', '=').wrong).toBe('nothing');
});
