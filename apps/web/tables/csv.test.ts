import { expect, test } from 'vitest';
import { findSeparator, parseCsv, toCsv } from './csv.ts';

test.each([
  [
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\r\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['"a, ""b""",c\n', [['a, "b"', 'c']]],
  ['"two\nlines",x\n', [['two\nlines', 'x']]],
  [
    'a,\n,b\n',
    [
      ['a', ''],
      ['', 'b'],
    ],
  ],
  ['a,', [['a', '']]],
  ['"open', [['open']]],
  ['', []],
])('the rows of %j', (text, rows) => {
  expect(parseCsv(text, ',')).toEqual(rows);
});

test('what is written is read again', () => {
  const rows = [
    ['a', 'b,c'],
    ['"d"', 'e\nf'],
    ['', '-1.5'],
  ];
  expect(parseCsv(toCsv(rows), ',')).toEqual(rows);
});

test('cells are no formulas of a spreadsheet', () => {
  expect(toCsv([['=1+1', '+cmd()', '@x', '-2', '+3', 'a=b']])).toBe("'=1+1,'+cmd(),'@x,-2,+3,a=b\r\n");
});

test('the separator is found', () => {
  expect(findSeparator('a;b;c\n1,5;2;3', 'x.csv')).toBe(';');
  expect(findSeparator('a,b', 'x.csv')).toBe(',');
  expect(findSeparator('a,b', 'x.tsv')).toBe('\t');
});
