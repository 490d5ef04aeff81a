import type { EventOf } from '@klaus/sdk';
import { openKeyboard } from './keyboard.ts';
import { formatCount, formatUsd } from './output/format.ts';
import { createPaint, paintDiff, type Paint } from './output/paint.ts';
import { toPrintable } from './output/printable.ts';

/** What a person said to a question. `interrupt` is Ctrl-C; `later` leaves the question open. */
export type Reply = 'approved' | 'rejected' | 'later' | 'interrupt';

/** Lines of a diff or command that are shown unasked. */
const SHOWN_LINES = 200;

/**
 * Shows a question in the terminal and takes one key: y, n, d (show everything again) or q.
 *
 * @param options.signal Ends the wait, as `later`.
 */
export async function askInTerminal(
  question: EventOf<'approval.asked'>,
  options: { plain: boolean; signal: AbortSignal },
): Promise<Reply> {
  const { stderr } = process;
  const paint = createPaint(stderr, options.plain);
  const keys =
    question.subject.kind === 'limit'
      ? 'y go on, n stop, q decide later'
      : 'y approve, n reject, d show again, q decide later';
  const keyboard = await openKeyboard();
  try {
    stderr.write(
      `${showQuestion(question, { paint, plain: options.plain, all: false })}\n${paint('bold', `[${keys}] `)}`,
    );
    for (;;) {
      const key = await keyboard.key(options.signal);
      const reply = toReply(key);
      if (reply !== undefined) {
        stderr.write(`${reply === 'interrupt' ? '^C' : (key ?? '')}\n`);
        return reply;
      }
      if (key?.toLowerCase() === 'd' && question.subject.kind === 'call') {
        stderr.write(
          `d\n${showQuestion(question, { paint, plain: options.plain, all: true })}\n${paint('bold', `[${keys}] `)}`,
        );
      }
    }
  } finally {
    keyboard.close();
  }
}

function toReply(key: string | undefined): Reply | undefined {
  switch (key?.toLowerCase()) {
    case 'y':
      return 'approved';
    case 'n':
      return 'rejected';
    case 'q':
    case undefined:
      return 'later';
    case 'ctrl-c':
      return 'interrupt';
    default:
      return undefined;
  }
}

/** The question with everything that is needed to decide it, made safe for a terminal. */
function showQuestion(
  question: EventOf<'approval.asked'>,
  options: { paint: Paint; plain: boolean; all: boolean },
): string {
  const { paint } = options;
  const { subject } = question;
  const lines = [
    `${options.plain ? 'Question: ' : paint('yellow', '? ')}${paint('bold', toPrintable(question.title))}`,
  ];
  lines.push(paint('dim', toPrintable(question.reason)));
  if (subject.kind === 'limit') {
    const show = subject.limit === 'usd' ? formatUsd : formatCount;
    lines.push(
      `Used ${show(subject.used)} of ${show(subject.cap)} (${subject.limit}). Going on raises the limit to ${show(subject.offer)}.`,
    );
    return lines.join('\n');
  }
  const max = options.all ? Number.POSITIVE_INFINITY : SHOWN_LINES;
  if (subject.command !== undefined) lines.push(shorten(`$ ${toPrintable(subject.command)}`, max));
  if (subject.diff !== undefined) lines.push(paintDiff(shorten(toPrintable(subject.diff).trimEnd(), max), paint));
  return lines.join('\n');
}

function shorten(text: string, max: number): string {
  const lines = text.split('\n');
  if (lines.length <= max) return text;
  const rest = lines.length - max;
  return `${lines.slice(0, max).join('\n')}\n… ${formatCount(rest)} more line${rest === 1 ? '' : 's'}: d shows all of them`;
}
