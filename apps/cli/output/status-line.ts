import { toLine } from '@klaus/sdk/printable';
import type { Sink } from './sink.ts';

/** One line at the bottom of a terminal, replaced in place. */
export interface StatusLine {
  show(text: string): void;
  clear(): void;
}

/**
 * @param sink A terminal.
 * @returns A line that is cut to the width of the terminal, because a wrapped line cannot be erased.
 */
export function createStatusLine(sink: Sink): StatusLine {
  let shown = '';
  return {
    show(text) {
      const line = toLine(text, Math.max(20, (sink.columns || 80) - 1));
      if (line === shown) return;
      shown = line;
      sink.replaceLine(line);
    },
    clear() {
      if (shown === '') return;
      shown = '';
      sink.replaceLine('');
    },
  };
}
