import { styleText } from 'node:util';
import type { Sink } from './sink.ts';

export type Color = 'red' | 'green' | 'yellow' | 'cyan' | 'magenta' | 'dim' | 'bold';
/** Colours a text, or returns it unchanged without colours. */
export type Paint = (color: Color, text: string) => string;

/**
 * Colours for one stream: none if it is not a terminal, with `NO_COLOR`, and in plain output.
 *
 * @source https://no-color.org
 */
export function createPaint({ stream }: Pick<Sink, 'stream'>, plain: boolean): Paint {
  if (plain || process.env['TERM'] === 'dumb') return (_color, text) => text;
  return (color, text) => styleText(color, text, { stream });
}

/** A unified diff with added and removed lines in colour. */
export function paintDiff(diff: string, paint: Paint): string {
  return diff
    .split('\n')
    .map((line) => {
      if (line.startsWith('+++') || line.startsWith('---')) return paint('bold', line);
      if (line.startsWith('@@')) return paint('cyan', line);
      if (line.startsWith('+')) return paint('green', line);
      if (line.startsWith('-')) return paint('red', line);
      return line;
    })
    .join('\n');
}
