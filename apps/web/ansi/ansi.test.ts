import { describe, expect, test } from 'vitest';
import { toPlainText, toSpans } from './ansi.ts';

describe('toSpans', () => {
  test('reads colours and looks, also several in one sequence', () => {
    expect(toSpans('\u001b[1;31mred\u001b[0m plain')).toEqual([
      { text: 'red', bold: true, color: 1 },
      { text: ' plain' },
    ]);
    expect(toSpans('\u001b[92mlight\u001b[39m none')).toEqual([{ text: 'light', color: 10 }, { text: ' none' }]);
    expect(toSpans('\u001b[44mon\u001b[49m')).toEqual([{ text: 'on', background: 4 }]);
  });

  test('brings the 256 colours and all others to the sixteen of the page', () => {
    expect(toSpans('\u001b[38;5;9ma\u001b[38;5;196mb\u001b[38;2;0;255;0mc\u001b[38;5;240md')).toEqual([
      { text: 'a', color: 9 },
      { text: 'b', color: 9 },
      { text: 'c', color: 10 },
      { text: 'd', color: 8 },
    ]);
  });

  test('shows what a terminal would have left of a line that was drawn over', () => {
    expect(toPlainText('10 %\r50 %\r100 %\ndone\r\n')).toBe('100 %\ndone\n');
  });

  test('leaves out titles, cursor moves and control characters', () => {
    expect(toPlainText('\u001b]0;title\u0007a\u001b[2Kb\u001b[?25lc\u0008\u0000d\u001b[')).toBe('abcd');
  });

  test('ends on any input, and keeps what is no sequence', () => {
    expect(toPlainText('\u001b')).toBe('');
    expect(toPlainText('\u001b[31')).toBe('31');
    expect(toPlainText('<b>&amp;</b>')).toBe('<b>&amp;</b>');
  });
});
