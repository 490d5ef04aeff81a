import type { Output } from './output.ts';
import { out } from './sink.ts';
import { createTextOutput } from './text-output.ts';
import { hasKeyboard } from '../prompt/keyboard.ts';
import type { Options } from '../program/options.ts';

/** The output that the options select: events for a program, or text for people. */
export function createOutput({ json, plain, raw }: Options): Output {
  return json ? createJsonOutput() : createTextOutput({ plain: plain === true, raw: raw === true });
}

/** True if approvals are asked for at this terminal. With `--json` they are not. */
export function canAsk(options: Options): boolean {
  return !options.json && hasKeyboard();
}

/** Prints the canonical events as NDJSON on standard output, each when it is durable, and nothing else. */
function createJsonOutput(): Output {
  return {
    event: (event) => out.json(event),
    recall: undefined,
    live: undefined,
    note: () => {},
    settle: () => {},
  };
}
