import { writeSync } from 'node:fs';
import type { KlendathuError } from '../investigate/klendathu-error.ts';
import type { Report } from '../investigate/report.ts';

// A text of a model may not control the terminal.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu;

/** Prints a report, or why there is none, on standard error, at once: the process may be about to end. */
export function printOutcome(outcome: Report | KlendathuError): void {
  const text = outcome instanceof Error ? toLine(outcome) : toText(outcome);
  try {
    writeSync(2, `${text.replaceAll(CONTROL, '')}\n`);
  } catch {
    // Standard error is closed or full.
  }
}

/** One line: what happened, and what to do. */
export function toLine({ message, hint }: KlendathuError): string {
  return `klendathu: ${hint === undefined ? message : `${message} ${hint}`}`.replaceAll('\n', ' ');
}

function toText({ text, fix }: Report): string {
  return `klendathu: ${text}${fix === undefined ? '' : `\n\n${fix.unifiedDiff}`}`;
}
