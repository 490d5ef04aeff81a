import { join } from 'node:path';
import type { InvestigateOptions, Report } from 'klendathu';
import type { Seen, Step } from './stand-in-cli.fixture.ts';

const STAND_IN = join(import.meta.dirname, 'stand-in-cli.fixture.ts');

/** Options with which the stand-in performs these steps. */
export function standIn(...steps: Step[]) {
  return {
    cliPath: STAND_IN,
    env: { KLENDATHU_STAND_IN: JSON.stringify(steps) },
    mode: 'live',
  } satisfies InvestigateOptions;
}

/** What the stand-in got. */
export function toSeen(report: Report): Seen {
  return JSON.parse(report.text) as Seen;
}
