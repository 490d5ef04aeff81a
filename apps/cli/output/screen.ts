import { createPaint, type Paint } from './paint.ts';
import { err, out } from './sink.ts';
import { toPrintable } from '@klaus/sdk/printable';
import { createStatusLine } from './status-line.ts';

export type Mark = 'ok' | 'bad' | 'warn' | 'info';

const WORDS = { ok: 'Done: ', bad: 'Failed: ', warn: 'Warning: ', info: '' } as const satisfies Record<Mark, string>;
const SIGNS = {
  ok: ['green', '✓ '],
  bad: ['red', '✗ '],
  warn: ['yellow', '! '],
  info: ['dim', '· '],
} as const satisfies Record<Mark, readonly [string, string]>;

/** Where text for people goes: progress to standard error, answers to standard output. */
export interface Screen {
  /** True when somebody sees text the moment it is written. */
  readonly watched: boolean;
  /** True when streamed text goes where answers go, so that an answer need not be repeated. */
  readonly streamsAnswers: boolean;
  readonly paint: Paint;
  /** The sign before a line, or a word for it in plain output. */
  readonly mark: (kind: Mark) => string;
  /** One whole line of progress. */
  readonly line: (text: string) => void;
  /** A piece of text of the model's. */
  stream(text: string): void;
  /** The bottom line; nothing where it could not be erased again. An empty text takes it away. */
  status(text: string): void;
  /** Ends streamed text and takes the bottom line away. */
  settle(): void;
  /** The final answer. */
  answer(text: string): void;
}

/**
 * @param options.plain Words instead of signs, no colours, nothing that moves: for screen readers.
 * @param options.raw What the model says is written as it is.
 */
export function createScreen({ plain, raw }: { plain: boolean; raw: boolean }): Screen {
  const watched = !plain && err.isTTY && process.env['TERM'] !== 'dumb';
  const status = watched ? createStatusLine(err) : undefined;
  const paint = createPaint(err, plain);
  // On a terminal an answer streams to where it belongs; into a pipe it goes once, whole, at the end.
  const target = out.isTTY ? out : err;
  let midLine = false;
  // A line feed that comes in the next piece makes a line end of it.
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
      const whole = held + text;
      held = whole.endsWith('\r') ? '\r' : '';
      target.write(toPrintable(held === '' ? whole : whole.slice(0, -1)));
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
