import { createPaint, type Paint } from './paint.ts';
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

/** @param plain Words instead of signs, no colours, nothing that moves: for screen readers. */
export function createScreen(plain: boolean): Screen {
  const { stdout, stderr } = process;
  const watched = !plain && stderr.isTTY === true && process.env['TERM'] !== 'dumb';
  const status = watched ? createStatusLine(stderr) : undefined;
  const paint = createPaint(stderr, plain);
  // On a terminal an answer streams to where it belongs; into a pipe it goes once, whole, at the end.
  const target = stdout.isTTY ? stdout : stderr;
  let midLine = false;

  const settle = () => {
    status?.clear();
    if (midLine) target.write('\n');
    midLine = false;
  };
  return {
    watched,
    streamsAnswers: watched && target === stdout,
    paint,
    mark: (kind) => (plain ? WORDS[kind] : paint(SIGNS[kind][0], SIGNS[kind][1])),
    line(text) {
      settle();
      stderr.write(`${text}\n`);
    },
    stream(text) {
      if (text === '') return;
      status?.clear();
      midLine = !text.endsWith('\n');
      target.write(toPrintable(text));
    },
    status(text) {
      if (text === '') status?.clear();
      else if (!midLine) status?.show(text);
    },
    settle,
    answer(text) {
      settle();
      stdout.write(`${stdout.isTTY ? toPrintable(text) : text}\n`);
    },
  };
}
