import { hasKeyboard } from '../prompt/keyboard.ts';
import { createJsonOutput } from './json-output.ts';
import type { Output } from './output.ts';
import { createTextOutput } from './text-output.ts';
import type { ShowOptions } from '../program/run-options.ts';

/** Where a run is shown: as events for a program, else for people. */
export function createOutput(options: ShowOptions): Output {
  return options.json === true
    ? createJsonOutput()
    : createTextOutput({ plain: options.plain ?? false, raw: options.raw ?? false });
}

/** True when a person at this terminal is asked; a program that reads events is not disturbed by questions. */
export function canAsk(options: ShowOptions): boolean {
  return options.json !== true && hasKeyboard();
}
