import type { Hunk } from '@klaus/core/protocol';
import { describe, expect, test } from 'vitest';
import { editHunk, judgeHunks, newReview, parseDiff, toAnswer, toDiffLines, toNewText, toPairs } from './diff-model.ts';
import { toRows } from './diff-rows.ts';

function hunk(id: string, lines: readonly string[]): Hunk {
  const [path = ''] = id.split('#');
  const count = (signs: string) => lines.filter((line) => signs.includes(line[0]!)).length;
  const ends = { oldStart: 3, oldLines: count(' -'), newStart: 3, newLines: count(' +') };
  return { id, path, kind: 'text', ...ends, lines: [...lines] };
}

const A = hunk('a.ts#1', [' one', '-two', '-three', '+zwei', ' four']);
const B = hunk('a.ts#2', ['+five']);
const C = hunk('b.ts#1', ['-six']);

describe('rows', () => {
  test('have separate numbers for each side', () => {
    expect(toDiffLines(A).map(({ old, new: fresh, kind }) => [old, fresh, kind])).toEqual([
      [3, 3, 'same'],
      [4, null, 'removed'],
      [5, null, 'removed'],
      [null, 4, 'added'],
      [6, 5, 'same'],
    ]);
  });

  test('of a side without lines start after the line in the header', () => {
    expect(toDiffLines({ ...B, oldStart: 2, newStart: 3 })[0]).toMatchObject({ old: null, new: 3 });
  });

  test('pair removed lines with their replacements', () => {
    const pairs = toPairs(toDiffLines(A)).map(({ left, right }) => [left?.text ?? null, right?.text ?? null]);
    expect(pairs).toEqual([
      ['one', 'one'],
      ['two', 'zwei'],
      ['three', null],
      ['four', 'four'],
    ]);
  });

  test('have a heading for each file with all its hunks', () => {
    const files = toRows([A, B, C], 'unified').filter((row) => row.kind === 'file');
    expect(files).toMatchObject([
      { path: 'a.ts', hunks: ['a.ts#1', 'a.ts#2'] },
      { path: 'b.ts', hunks: ['b.ts#1'] },
    ]);
  });
});

test('a line of a million characters has many rows, which contain all of it', () => {
  const long = 'x'.repeat(1_000_000);
  const rows = toRows([hunk('min.js#1', [`+${long}`])], 'unified').filter((row) => row.kind === 'line');
  expect(rows.length).toBeGreaterThan(100);
  expect(rows.map(({ line }) => line.text).join('')).toBe(long);
  expect(rows.filter(({ line }) => line.new !== null)).toHaveLength(1);
});

describe('an answer', () => {
  test('approves all hunks, some of them, or none', () => {
    expect(toAnswer(newReview([A, B, C]), [A, B, C])).toEqual({ answer: 'approved' });
    expect(toAnswer(judgeHunks(newReview([A, B, C]), ['a.ts#2'], false), [A, B, C])).toEqual({
      answer: 'approved',
      hunks: { accepted: ['a.ts#1', 'b.ts#1'] },
    });
    expect(toAnswer(judgeHunks(newReview([A, B, C]), [A.id, B.id, C.id], false), [A, B, C])).toEqual({
      answer: 'rejected',
    });
  });

  test('does not contain a hunk with hidden content before the user decides about it', () => {
    const picture: Hunk = { ...hunk('logo.png#1', []), kind: 'created', note: 'logo.png: a new file', hidden: true };
    const hunks = [A, picture];
    const begun = newReview(hunks);
    expect([...begun.undecided]).toEqual([picture.id]);
    expect(toAnswer(begun, hunks)).toEqual({ answer: 'approved', hunks: { accepted: [A.id] } });
    expect(toAnswer(judgeHunks(begun, [picture.id], true), hunks)).toEqual({ answer: 'approved' });
    expect([...judgeHunks(begun, [picture.id], false).undecided]).toEqual([]);
  });

  test('contains the text of an edited hunk; a rejection discards it', () => {
    const edited = editHunk(judgeHunks(newReview([A, B, C]), [A.id], false), A, 'one\ndos\nfour\n');
    expect(toAnswer(edited, [A])).toEqual({
      answer: 'approved',
      hunks: { accepted: [A.id], edited: [{ id: A.id, text: 'one\ndos\nfour\n' }] },
    });
    expect(toAnswer(judgeHunks(judgeHunks(edited, [A.id], false), [A.id], true), [A])).toEqual({ answer: 'approved' });
    expect(toAnswer(editHunk(edited, A, toNewText(A)), [A])).toEqual({ answer: 'approved' });
  });
});

test('the text to edit has the line feed at the end of the file', () => {
  expect(toNewText(A)).toBe('one\nzwei\nfour\n');
  expect(toNewText(hunk('c#1', ['-a', '+b', '\\ No newline at end of file']))).toBe('b');
  expect(toNewText(hunk('c#1', ['-a', '\\ No newline at end of file', '+b']))).toBe('b\n');
});

describe('parseDiff', () => {
  test('reads files, new and deleted ones, and lines that look like headers', () => {
    const text = [
      '--- a/x.sql',
      '+++ b/x.sql',
      '@@ -1,2 +1,2 @@',
      '--- a comment',
      '+++ plus',
      ' same',
      '@@ -9 +9 @@',
      '-a',
      '+b',
      '\\ No newline at end of file',
      '--- /dev/null',
      '+++ b/new.ts',
      '@@ -0,0 +1 @@',
      '+fresh',
      '--- a/old.ts',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-gone',
      '',
    ].join('\n');
    expect(parseDiff(text).map(({ id, lines }) => [id, lines])).toEqual([
      ['x.sql#1', ['--- a comment', '+++ plus', ' same']],
      ['x.sql#2', ['-a', '+b', '\\ No newline at end of file']],
      ['new.ts#1', ['+fresh']],
      ['old.ts#1', ['-gone']],
    ]);
  });

  test('stores the note of a change without lines', () => {
    const [only] = parseDiff('--- a/logo.png\n+++ b/logo.png\nbinary file, 3 KB → 4 KB\n');
    expect(only).toMatchObject({ id: 'logo.png#1', note: 'binary file, 3 KB → 4 KB', lines: [] });
  });
});
