import { toLine, toPrintable } from '@klaus/sdk/printable';
import { createPaint } from './paint.ts';
import { err, out, type Sink } from './sink.ts';

export type Mark = 'ok' | 'bad' | 'warn' | 'info';

const WORDS = { ok: 'Done: ', bad: 'Failed: ', warn: 'Warning: ', info: '' } as const satisfies Record<Mark, string>;
const SIGNS = {
  ok: ['green', '✓ '],
  bad: ['red', '✗ '],
  warn: ['yellow', '! '],
  info: ['dim', '· '],
} as const satisfies Record<Mark, readonly [string, string]>;

interface ScreenOptions {
  plain: boolean;
  raw: boolean;
  answers?: boolean;
  progress?: Sink;
  prefix?: string;
}

export type Screen = ReturnType<typeof createScreen>;

/**
 * Prints text for people: progress on standard error, answers on standard output.
 *
 * @param options.plain Words instead of signs, no colours, no animation: for screen readers.
 * @param options.raw The text of the model is printed unchanged.
 * @param options.progress Where progress is printed. Default: standard error.
 * @param options.prefix Printed before each line. Nothing is streamed then. Default: nothing.
 * @param options.answers False: standard output gets no text of the model. Default true.
 */
export function createScreen({ plain, raw, answers = true, progress = err, prefix = '' }: ScreenOptions) {
  const watched = prefix === '' && !plain && progress.isTTY && process.env['TERM'] !== 'dumb';
  const status = watched ? createStatusLine(progress) : undefined;
  const paint = createPaint(progress, plain);
  // On a terminal, an answer is streamed to standard output. A pipe gets the complete answer at the end.
  const target = out.isTTY && answers ? out : err;
  const withPrefix = (text: string): string => (prefix === '' ? text : text.replaceAll(/^/gm, prefix));
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
    /** True on a terminal, where a user sees text as it is written. */
    watched,
    /** True if text is streamed to standard output, so that the answer must not be printed again. */
    streamsAnswers: watched && target === out,
    paint,
    /** The sign of a line, or a word in plain output. */
    mark: (kind: Mark): string => (plain ? WORDS[kind] : paint(SIGNS[kind][0], SIGNS[kind][1])),
    line: (text: string): void => {
      settle();
      progress.write(`${withPrefix(text)}\n`);
    },
    stream(text: string): void {
      if (text === '') return;
      status?.clear();
      midLine = !text.endsWith('\n');
      if (raw) return target.raw(text);
      const joined = held + text;
      held = joined.endsWith('\r') ? '\r' : '';
      target.write(toPrintable(held === '' ? joined : joined.slice(0, -1)));
    },
    /** Shows the bottom line, on a terminal only. An empty text removes it. */
    status(text: string): void {
      if (text === '') status?.clear();
      else if (!midLine) status?.show(text);
    },
    /** Ends the line of streamed text and removes the bottom line. */
    settle,
    answer(text: string): void {
      settle();
      if (!answers) return;
      if (raw) out.raw(`${withPrefix(text)}\n`);
      else out.write(`${withPrefix(out.isTTY ? toPrintable(text) : text)}\n`);
    },
  };
}

/**
 * One line at the bottom of a terminal, replaced in place. It is cut to the width of the terminal, because a wrapped line
 * cannot be erased.
 */
function createStatusLine(sink: Sink) {
  let shown = '';
  return {
    show(text: string): void {
      const line = toLine(text, Math.max(20, (sink.columns || 80) - 1));
      if (line === shown) return;
      shown = line;
      sink.replaceLine(line);
    },
    clear(): void {
      if (shown === '') return;
      shown = '';
      sink.replaceLine('');
    },
  };
}
