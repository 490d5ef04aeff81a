import type { DiffLine } from '@klaus/core/conversation';
import { expect, test } from 'vitest';
import { toLinePieces } from './line-pieces.ts';

const LINE: DiffLine = { kind: 'added', text: 'const next = 2;', old: null, new: 1, at: 0 };
const CODE = [
  { kind: 'keyword', text: 'const' },
  { kind: '', text: ' next = ' },
  { kind: 'number', text: '2' },
  { kind: '', text: ';' },
];

test('changed words keep the colours of their code', () => {
  const pieces = toLinePieces({ ...LINE, other: 'const last = 2;' }, CODE);
  expect(pieces.filter(({ isChanged }) => isChanged)).toEqual([{ kind: '', text: 'next', isChanged: true }]);
  expect(pieces.map(({ text }) => text).join('')).toBe(LINE.text);
  expect(pieces.find(({ kind }) => kind === 'number')?.text).toBe('2');
});

test('a line without a counterpart, or with an unlike one, has no changed words', () => {
  expect(toLinePieces(LINE, CODE).some(({ isChanged }) => isChanged)).toBe(false);
  expect(toLinePieces({ ...LINE, other: 'return undefined' }, CODE).some(({ isChanged }) => isChanged)).toBe(false);
});

test('code of another text is ignored, and an empty line has no pieces', () => {
  expect(toLinePieces({ ...LINE, text: 'other' }, CODE)).toEqual([{ kind: '', text: 'other', isChanged: false }]);
  expect(toLinePieces({ ...LINE, text: '' }, undefined)).toEqual([]);
});
