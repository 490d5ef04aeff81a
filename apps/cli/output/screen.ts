import { toPrintable } from '@klaus/sdk/printable';
import { createPaint, type Paint } from './paint.ts';
import { err, out } from './sink.ts';
import { createStatusLine } from './status-line.ts';

export type Mark = 'ok' | 'bad' | 'warn' | 'info';

const WORDS = { ok: 'Done: ', bad: 'Failed: ', warn: 'Warning: ', info: '' } as const satisfies Record<Mark, string>;
const SIGNS = {
  ok: ['green', '✓ '],
  bad: ['red', '✗ '],
  warn: ['yellow', '! '],
  info: ['dim', '· '],
} as const satisfies Record<Mark, readonly [string, string]>;

/** Prints text for people: progress on standard error, answers on standard output. */
export interface Screen {
  /** True on a terminal, where a user sees text as it is written. */
  readonly watched: boolean;
  /** True if text is streamed to standard output, so that the answer must not be printed again. */
  readonly streamsAnswers: boolean;
  readonly paint: Paint;
  /** The sign of a line, or a word in plain output. */
  readonly mark: (kind: Mark) => string;
  /** Prints a line of progress. */
  readonly line: (text: string) => void;
  /** Prints a piece of the model's text. */
  stream(text: string): void;
  /** Shows the bottom line, on a terminal only. An empty text removes it. */
  status(text: string): void;
  /** Ends the line of streamed text and removes the bottom line. */
  settle(): void;
  /** Prints the final answer. */
  answer(text: string): void;
}

/**
 * @param options.plain Words instead of signs, no colours, no animation: for screen readers.
 * @param options.raw The text of the model is printed unchanged.
 */
export function createScreen({ plain, raw }: { plain: boolean; raw: boolean }): Screen {
  const watched = !plain && err.isTTY && process.env['TERM'] !== 'dumb';
  const status = watched ? createStatusLine(err) : undefined;
  const paint = createPaint(err, plain);
  // On a terminal, an answer is streamed to standard output. A pipe gets the complete answer at the end.
  const target = out.isTTY ? out : err;
  let midLine = false;
  // A carriage return, which is a line end if the next piece starts with a line feed.
  let held = '';

  const settle = () => {
    status?.clear();
    if (held !== '') target.write(toPrintable(held));
    if (midLine) target.write('\n');
    held = '';
    midLine = false;
  };
  return {
    watched,
    streamsAnswers: watched && target === out,
    paint,
    mark: (kind) => (plain ? WORDS[kind] : paint(SIGNS[kind][0], SIGNS[kind][1])),
    line(text) {
      settle();
      err.write(`${text}\n`);
    },
    stream(text) {
      if (text === '') return;
      status?.clear();
      midLine = !text.endsWith('\n');
      if (raw) return target.raw(text);
      const joined = held + text;
      held = joined.endsWith('\r') ? '\r' : '';
      target.write(toPrintable(held === '' ? joined : joined.slice(0, -1)));
      return undefined;
    },
    status(text) {
      if (text === '') status?.clear();
      else if (!midLine) status?.show(text);
    },
    settle,
    answer(text) {
      settle();
      if (raw) out.raw(`${text}\n`);
      else out.write(`${out.isTTY ? toPrintable(text) : text}\n`);
    },
  };
}
