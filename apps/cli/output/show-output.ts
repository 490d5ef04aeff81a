import { hasKeyboard } from '../prompt/keyboard.ts';
import type { ShowOptions } from '../program/run-options.ts';
import { createJsonOutput } from './json-output.ts';
import type { Output } from './output.ts';
import { createTextOutput } from './text-output.ts';

/** The output that the options select: events for a program, or text for people. */
export function createOutput(options: ShowOptions): Output {
  return options.json === true
    ? createJsonOutput()
    : createTextOutput({ plain: options.plain ?? false, raw: options.raw ?? false });
}

/** True if approvals are asked for at this terminal. With `--json` they are not. */
export function canAsk(options: ShowOptions): boolean {
  return options.json !== true && hasKeyboard();
}
