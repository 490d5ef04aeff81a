import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { visibleWidth } from '../screen/index.ts';
import { createPalette } from '../style/palette.ts';
import { FRAME_WIDTH, toFrame } from './frame.ts';

const KEYS = [
  ['y', 'approve'],
  ['n', 'reject'],
  ['s', 'allow the same in this session'],
  ['p', 'allow the same in this project'],
] as const;
const SHORT = [
  ['y', 'yes'],
  ['n', 'no'],
  ['s', 'session'],
  ['p', 'project'],
] as const;

function toRows(width: number, title = 'run npm test'): string[] {
  const palette = createPalette('dark');
  const given = { width, palette, paint: palette.warn, title, end: 'runs a command', keys: [KEYS, SHORT] };
  return toFrame(['a reason'.slice(0, width - FRAME_WIDTH)], given).map((row) => stripVTControlCharacters(row));
}

test.each([20, 46, 80, 120])('a frame of %i columns reaches both edges and has title, risk and keys', (width) => {
  const rows = toRows(width);
  for (const row of rows) expect(visibleWidth(row)).toBeLessThanOrEqual(width);
  for (const row of [rows[0]!, rows.at(-1)!]) expect(visibleWidth(row)).toBe(width);
  expect(rows.slice(1, -1).every((row) => row.startsWith('│'))).toBe(true);
  for (const text of ['run npm test', 'runs a command', 'y', 'n', 's', 'p']) expect(rows.join('\n')).toContain(text);
});

test('the keys are in one row, with the short words where the long ones need two', () => {
  expect(toRows(120).at(-1)).toContain(
    'y approve  n reject  s allow the same in this session  p allow the same in this project',
  );
  expect(toRows(46).at(-1)).toContain('y yes  n no  s session  p project');
});

test('a title that is longer than the line is complete below it', () => {
  const title = `run ${'word '.repeat(40)}end`;
  const text = toRows(80, title)
    .slice(1)
    .map((row) => row.slice(2))
    .join(' ')
    .replaceAll(/\s+/g, ' ');
  expect(text).toContain(title);
});
