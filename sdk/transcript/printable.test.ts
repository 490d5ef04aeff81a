import { expect, test } from 'vitest';
import { toLine, toPrintable } from './printable.ts';

test('what would act on a terminal or hide text is shown instead', () => {
  expect(toPrintable('\u001b[2Jgone\u0007\u009b\u202e')).toBe('<1b>[2Jgone<07><9b><202e>');
  expect(toPrintable('over\rwrite')).toBe('over<0d>write');
  expect(toPrintable('line\r\nnext\tcolumn é 漢 🙂')).toBe('line\nnext\tcolumn é 漢 🙂');
});

test('a line is folded and cut', () => {
  expect(toLine('  a\n\tb  c ', 10)).toBe('a b c');
  expect(toLine('abcdefghij', 10)).toBe('abcdefghij');
  expect(toLine('abcdefghijk', 10)).toBe('abcdefghi…');
});
