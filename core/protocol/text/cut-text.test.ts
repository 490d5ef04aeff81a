import { expect, test } from 'vitest';
import { cutText, headOf, splitText, tailOf } from './cut-text.ts';

const FAMILY = '👨‍👩‍👧‍👦';
const TEXTS = [
  'plain text of ASCII letters',
  '😀'.repeat(40),
  `a${'😀'.repeat(40)}`,
  `${FAMILY}${FAMILY}x${FAMILY}`,
  'e\u0301'.repeat(30),
  '🇩🇪🇫🇷🇮🇹',
  'line\r\nline\r\n',
  '한국어 テキスト 中文',
  `a${'\u0301'.repeat(500)}`,
  `a${'\u{1d165}'.repeat(300)}`,
  '\ud83d half',
];

test.each(TEXTS)('%j is cut at every length into valid Unicode', (text) => {
  const valid = text.toWellFormed();
  for (let max = 0; max <= valid.length + 1; max++) {
    for (const piece of [headOf(valid, max), tailOf(valid, max), cutText(valid, max + 1)]) {
      expect(piece.isWellFormed()).toBe(true);
      expect(piece.length).toBeLessThanOrEqual(max + 1);
    }
    expect(valid.startsWith(headOf(valid, max))).toBe(true);
    expect(valid.endsWith(tailOf(valid, max))).toBe(true);
    const pieces = splitText(valid, max + 1);
    expect(pieces.join('')).toBe(valid);
    expect(pieces.every((piece) => piece !== '' && piece.isWellFormed())).toBe(true);
  }
});

test('what people see as one character is not divided', () => {
  const text = `x${FAMILY}y`;
  for (let max = 1; max <= FAMILY.length; max++) expect(headOf(text, max)).toBe('x');
  expect(headOf(text, FAMILY.length + 1)).toBe(`x${FAMILY}`);
  for (let max = 1; max <= FAMILY.length; max++) expect(tailOf(text, max)).toBe('y');
  expect(headOf('e\u0301e\u0301', 3)).toBe('e\u0301');
  expect(headOf('🇩🇪🇫🇷', 6)).toBe('🇩🇪');
  expect(headOf('a\r\nb', 2)).toBe('a');
});

test('a text that fits is the same, and a cut one has an ellipsis', () => {
  expect(cutText('abc', 3)).toBe('abc');
  expect(cutText('abcd', 3)).toBe('ab…');
  expect(headOf('abc', 0)).toBe('');
  expect(tailOf('abc', 0)).toBe('');
});
