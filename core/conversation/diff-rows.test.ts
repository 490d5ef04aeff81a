import type { Hunk } from '@klaus/core/protocol';
import { describe, expect, test } from 'vitest';
import { isOnlySpace, toMarkedLines, toRows } from './diff-rows.ts';

function hunk(lines: readonly string[]): Hunk {
  const count = (signs: string) => lines.filter((line) => signs.includes(line[0]!)).length;
  const ends = { oldStart: 1, oldLines: count(' -'), newStart: 1, newLines: count(' +') };
  return { id: 'a.ts#1', path: 'a.ts', kind: 'text', ...ends, lines: [...lines] };
}

const INDENTED = hunk([' {', '-a', '-b', '+  a', '+  b', ' }']);
const MIXED = hunk(['-a', '-old', '+  a', '+new']);

test('a replaced line has the text of its replacement', () => {
  expect(toMarkedLines(MIXED).map(({ other }) => other)).toEqual(['  a', 'new', 'a', 'old']);
  expect(toMarkedLines(hunk(['-a', ' b']))[0]).not.toHaveProperty('other');
});

describe('without whitespace', () => {
  const options = { ignoresSpace: true };

  test('a hunk in which only whitespace differs is folded, with the number of its lines', () => {
    const rows = toRows([INDENTED], 'unified', options);
    expect(rows.map(({ kind }) => kind)).toEqual(['file', 'hunk']);
    expect(rows[1]).toMatchObject({ folded: 4 });
    expect(toRows([INDENTED], 'unified', { ...options, unfolded: new Set(['a.ts#1']) })).toHaveLength(2 + 6);
    expect(isOnlySpace(hunk(['-a', '', '+a']))).toBe(true);
    expect(isOnlySpace(hunk(['-a b', '+ab']))).toBe(true);
    expect(isOnlySpace(hunk(['-a', '+b']))).toBe(false);
    expect(isOnlySpace(hunk([]))).toBe(false);
  });

  test('a line in which only whitespace differs is unchanged and marked, with both numbers', () => {
    const rows = toRows([MIXED], 'unified', options).flatMap((row) => (row.kind === 'line' ? [row.line] : []));
    expect(rows).toMatchObject([
      { kind: 'same', text: '  a', old: 1, new: 1, isSpace: true },
      { kind: 'removed', text: 'old', old: 2 },
      { kind: 'added', text: 'new', new: 2 },
    ]);
  });

  test('a hunk keeps its row, so that each hunk can still be decided about', () => {
    const hunks = [INDENTED, { ...MIXED, id: 'a.ts#2' }];
    const ids = (rows: ReturnType<typeof toRows>) => rows.flatMap((row) => (row.kind === 'hunk' ? [row.hunk.id] : []));
    expect(ids(toRows(hunks, 'split', options))).toEqual(ids(toRows(hunks, 'split')));
  });
});

test('a collapsed file has only its heading', () => {
  expect(toRows([MIXED], 'split', { collapsed: new Set(['a.ts']) }).map(({ kind }) => kind)).toEqual(['file']);
});
