import { hasKeyboard } from './keyboard.ts';
import { createJsonOutput } from './output/json-output.ts';
import type { Output } from './output/output.ts';
import { createTextOutput } from './output/text-output.ts';
import type { ShowOptions } from './run-options.ts';

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
