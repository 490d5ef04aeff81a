import { describe, expect, test } from 'vitest';
import { createOutputScreen, toPlainText } from '@klaus/core/conversation';
import { TERMINAL, toContrast, toReadable, toTextOn } from './contrast.ts';

const ESC = '\u001b';

function toSpans(output: string) {
  const screen = createOutputScreen();
  screen.write(output);
  return screen.lines().flatMap(({ spans }) => spans);
}

describe('colours', () => {
  test('and styles are parsed, also several in one sequence', () => {
    expect(toSpans(`${ESC}[1;31mred${ESC}[0m plain`)).toEqual([
      { text: 'red', bold: true, color: 1 },
      { text: ' plain' },
    ]);
    expect(toSpans(`${ESC}[92mlight${ESC}[39m none`)).toEqual([{ text: 'light', color: 10 }, { text: ' none' }]);
    expect(toSpans(`${ESC}[44mon${ESC}[49m`)).toEqual([{ text: 'on', background: 4 }]);
  });

  test('of the 256-colour palette and RGB colours are parsed', () => {
    expect(toSpans(`${ESC}[38;5;9ma${ESC}[38;5;208mb${ESC}[38;2;0;255;1mc${ESC}[48;5;240md`)).toEqual([
      { text: 'a', color: 9 },
      { text: 'b', color: '#ff8700' },
      { text: 'c', color: '#00ff01' },
      { text: 'd', color: '#00ff01', background: '#585858' },
    ]);
  });

  test('of a program are readable', () => {
    for (const color of ['#000000', '#00005f', '#5f0000', '#303030', '#ffffff']) {
      for (const theme of ['light', 'dark'] as const)
        expect(toContrast(toReadable(color, theme), TERMINAL[theme].background)).toBeGreaterThanOrEqual(4.5);
      expect(toContrast(toTextOn(color), color)).toBeGreaterThanOrEqual(4.5);
      expect(toContrast(toTextOn(color, '#777777'), color)).toBeGreaterThanOrEqual(4.5);
    }
    expect(toReadable('#ff8700', 'dark')).toBe('#ff8700');
    expect(toReadable('#00005f', 'light')).toBe('#00005f');
  });
});

describe('the cursor', () => {
  test.each([
    ['a carriage return writes over what was there', '10 %\r50 %\r100 %\ndone\r\n', '100 %\ndone\n'],
    ['what is shorter leaves the rest', 'abcdef\rxy', 'xycdef'],
    ['a line that is erased is empty', `Loading…\r${ESC}[2Kok`, 'ok'],
    ['the rest of a line that is erased is gone', `abcdef\rxy${ESC}[K`, 'xy'],
    ['several bars are drawn over themselves', `a 1\nb 1\n${ESC}[2Aa 2\nb 2\n`, 'a 2\nb 2\n'],
    ['a column can be named', `name${ESC}[10Gvalue`, 'name     value'],
    ['a backspace goes back', 'ab\bc', 'ac'],
    ['a tab goes to the next stop', 'a\tb', 'a       b'],
    ['a cleared screen begins a new page below', `old\n${ESC}[2J${ESC}[Hnew`, 'old\n\nnew'],
  ])('%s', (_, output, shown) => {
    expect(toPlainText(output)).toBe(shown);
  });

  test('the screen does not depend on the pieces of the output', () => {
    const output = `${ESC}[32mBuilding${ESC}[0m 10 %\r${ESC}[2K${ESC}[38;2;1;2;3m100 %${ESC}[0m\n${ESC}]0;title${ESC}\\end`;
    const once = createOutputScreen();
    once.write(output);
    const pieces = createOutputScreen();
    for (const char of output) pieces.write(char);
    expect(pieces.lines().map(({ spans }) => spans)).toEqual(once.lines().map(({ spans }) => spans));
  });
});

test('titles, modes and control characters are ignored', () => {
  expect(toPlainText(`${ESC}]0;title\u0007a${ESC}[?25lc\u0000d${ESC}[`)).toBe('acd');
});

test('incomplete and invalid sequences are handled', () => {
  expect(toPlainText(ESC)).toBe('');
  expect(toPlainText(`${ESC}[999999999C${ESC}[999999999B${ESC}[999999999Ax`).length).toBeLessThan(20_000);
  expect(toPlainText('<b>&amp;</b>')).toBe('<b>&amp;</b>');
  expect(toPlainText(`${ESC}]${'x'.repeat(10_000)}`).length).toBeGreaterThan(1_000);
});

test('only changed lines are new objects', () => {
  const screen = createOutputScreen();
  screen.write('one\ntwo');
  const [one, two] = screen.lines();
  screen.write(' more');
  expect(screen.lines()[0]).toBe(one);
  expect(screen.lines()[1]).not.toBe(two);
});
