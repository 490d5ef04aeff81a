import { expect, test } from 'vitest';
import type { CodeLine } from '@klaus/core/conversation';
import { toShown } from './use-lines.ts';

const read = (lines: readonly CodeLine[]) => lines.map((line) => line.map(({ text }) => text).join('')).join('\n');
const MADE = { text: 'const a = 1;\nconst b', lines: [[{ kind: 'keyword', text: 'const a = 1;' }], []] as CodeLine[] };

test('complete lines of a growing text stay highlighted', () => {
  const text = 'const a = 1;\nconst b = 2;\n\nlast';
  const shown = toShown(text, MADE);
  expect(shown[0]).toBe(MADE.lines[0]);
  expect(read(shown)).toBe(text);
  expect(
    shown
      .slice(1)
      .flat()
      .every(({ kind }) => kind === ''),
  ).toBe(true);
});

test('another text, and one without a response, are plain', () => {
  expect(read(toShown('let c;\n', MADE))).toBe('let c;\n');
  expect(read(toShown('let c;\n', undefined))).toBe('let c;\n');
  expect(toShown(MADE.text, MADE)).toBe(MADE.lines);
});
