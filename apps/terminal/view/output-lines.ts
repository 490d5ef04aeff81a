import { createOutputScreen, type Color, type OutputLine, type TextStyle } from '@klaus/sdk/conversation';
import { truncateToWidth } from '../screen/index.ts';
import type { Palette } from '../style/palette.ts';
import { toSafe } from './wrap.ts';

/**
 * The output of a command with its colours, as a terminal shows it at its end.
 *
 * @param options.isQuiet True: text without a colour of its own is less prominent than an answer. Default false.
 */
export function toOutputLines(output: string, palette: Palette, { isQuiet = false } = {}): string[] {
  const screen = createOutputScreen();
  screen.write(output);
  const lines = screen.lines().map((line) => toLine(line, palette, isQuiet));
  while (lines.length > 0 && lines.at(-1)!.trim() === '') lines.pop();
  return lines;
}

export function cutLines(lines: readonly string[], width: number, indent: string): string[] {
  return lines.map((line) => truncateToWidth(`${indent}${line}`, width, '…'));
}

function toLine({ spans }: OutputLine, palette: Palette, isQuiet: boolean): string {
  return spans
    .map(({ text, ...style }) => {
      const codes = toCodes(style);
      return isQuiet && codes === '' ? palette.muted(toSafe(text)) : palette.sgr(codes, toSafe(text));
    })
    .join('');
}

function toCodes({ color, background, bold, dim, italic, underline, inverse }: TextStyle): string {
  return [
    bold && '1',
    dim && '2',
    italic && '3',
    underline && '4',
    inverse && '7',
    color !== undefined && toColor(color, 38),
    background !== undefined && toColor(background, 48),
  ]
    .filter((code) => typeof code === 'string')
    .join(';');
}

/** @param base 38 for the text, 48 for its background. */
function toColor(color: Color, base: 38 | 48): string {
  if (typeof color === 'number') return `${base};5;${color}`;
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return `${base};2;${red};${green};${blue}`;
}
