import { expect, test } from 'vitest';
import { quoteWord } from './quote-word.ts';

test.each([
  ['topic/files-2', 'topic/files-2'],
  ['-x', "'-x'"],
  ["it's", "'it'\\''s'"],
  ['a;touch b', "'a;touch b'"],
  ['a$(touch b)', "'a$(touch b)'"],
  ['a`b`', "'a`b`'"],
  ['a\nb', "'a\nb'"],
  ['~', "'~'"],
  ['ü', "'ü'"],
  ['', "''"],
])('%j is one word of a shell', (word, quoted) => {
  expect(quoteWord(word)).toBe(quoted);
});
