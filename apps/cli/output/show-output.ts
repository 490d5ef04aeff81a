import type { Output } from './output.ts';
import { out, type Sink } from './sink.ts';
import { createTextOutput } from './text-output.ts';
import { hasKeyboard } from '../prompt/keyboard.ts';
import { type Options, toOutputFormat } from '../program/options.ts';

/**
 * The output that the options select: events for a program, nothing for `json`, or text for people.
 *
 * @param given.progress Where progress is printed for people. Default: standard error.
 * @param given.prefix Printed before each line for people. Default: nothing.
 */
export function createOutput(options: Options, given: { progress?: Sink; prefix?: string } = {}): Output {
  const format = toOutputFormat(options);
  if (format === 'text') {
    // With a schema, the answer is printed when it matches.
    const answers = options.outputSchema === undefined;
    return createTextOutput({
      plain: options.plain === true,
      raw: options.raw === true,
      answers,
      ...given,
    });
  }
  return format === 'json' ? SILENT : createJsonOutput();
}

/** True if approvals are asked for at this terminal. With a format for programs they are not. */
export function canAsk(options: Options): boolean {
  return toOutputFormat(options) === 'text' && hasKeyboard();
}

const SILENT: Output = { event: () => {}, recall: undefined, live: undefined, note: () => {}, settle: () => {} };

/** Prints the canonical events as NDJSON on standard output, each when it is durable, and nothing else. */
function createJsonOutput(): Output {
  return { ...SILENT, event: (event) => out.json(event) };
}
