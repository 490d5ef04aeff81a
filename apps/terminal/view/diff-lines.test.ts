import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { THEMES, type Theme } from '../style/palette.ts';
import { toDiffView } from './diff-lines.ts';
import { createViewStyle } from './view-style.ts';

/** Two hunks, of which the second one has numbers with more digits. */
const DIFF = [
  ...['--- a/src/cart.js', '+++ b/src/cart.js', '@@ -1,2 +1,2 @@', ' // the cart'],
  ...["-const sum = total('a');", "+const sum = cents('a');", '@@ -99,2 +99,2 @@', ' function end() {'],
  ...['-  return 1; // one', '+  return 2; // one', ''],
].join('\n');

async function toRows(theme: Theme, width = 60): Promise<string[]> {
  const style = createViewStyle(theme);
  await style.highlighter.load();
  return toDiffView(DIFF, width, style);
}

/** The row without its colours and without the mark of its end. */
const toText = (row: string): string => stripVTControlCharacters(row.replaceAll(/\u001b_[^\u0007]*\u0007.*$/g, ''));

test.each(THEMES)('the numbers of all hunks of a file have one width, in the theme %s', async (theme) => {
  expect((await toRows(theme)).map(toText)).toEqual([
    '  1   // the cart',
    "  2 - const sum = total('a');",
    "  2 + const sum = cents('a');",
    '    …',
    ' 99   function end() {',
    '100 -   return 1; // one',
    '100 +   return 2; // one',
  ]);
});

test('code has the colours of its language, also in changed lines with a background', async () => {
  const { palette } = createViewStyle('dark');
  const rows = await toRows('dark');
  expect(rows[1]).toContain(palette.changed('removed', 'keyword', 'const'));
  expect(rows[2]).toContain(palette.changed('addedWord', undefined, 'cents'));
  expect(rows[4]).toContain(palette.keyword('function'));
  // Without a background, the colour of a changed line is the only sign of the change beside the mark.
  expect((await toRows('16'))[1]).not.toContain(palette.keyword('const'));
  expect((await toRows('none')).join('')).not.toContain('\u001b');
});

test('the background of a changed line reaches the edge of the window, without characters', async () => {
  for (const theme of ['dark', 'light'] as const) {
    const { palette } = createViewStyle(theme);
    const rows = await toRows(theme);
    expect(rows[1]!.endsWith(palette.changedEdge('removed'))).toBe(true);
    expect(rows[2]!.endsWith(palette.changedEdge('added'))).toBe(true);
    // A row that fills the window would lose its last character.
    const width = toText(rows[2]!).length;
    expect((await toRows(theme, width))[2]!.endsWith(palette.changedEdge('added'))).toBe(false);
  }
  for (const theme of ['16', 'none'] as const) expect(createViewStyle(theme).palette.changedEdge('added')).toBe('');
});
