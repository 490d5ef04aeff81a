import { toLine } from '@klaus/sdk/printable';

/** One line at the bottom of a terminal, replaced in place. */
export interface StatusLine {
  show(text: string): void;
  clear(): void;
}

/**
 * @param stream A terminal.
 * @returns A line that is cut to the terminal's width, because one that wraps could not be erased.
 */
export function createStatusLine(stream: NodeJS.WriteStream): StatusLine {
  let shown = '';
  return {
    show(text) {
      const line = toLine(text, Math.max(20, (stream.columns ?? 80) - 1));
      if (line === shown) return;
      shown = line;
      stream.write(`\r\u001b[2K${line}`);
    },
    clear() {
      if (shown === '') return;
      shown = '';
      stream.write('\r\u001b[2K');
    },
  };
}
