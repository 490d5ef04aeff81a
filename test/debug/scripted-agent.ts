import { join } from 'node:path';
import type { InvestigateOptions, Report } from 'klendathu';
import type { Seen, Step } from './scripted-cli.fixture.ts';

const SCRIPTED_CLI = join(import.meta.dirname, 'scripted-cli.fixture.ts');

/** Options with which the scripted agent performs these steps. */
export function scripted(...steps: Step[]) {
  return {
    cliPath: SCRIPTED_CLI,
    env: { KLENDATHU_STEPS: JSON.stringify(steps) },
    mode: 'live',
  } satisfies InvestigateOptions;
}

/** What the scripted agent got. */
export function toSeen(report: Report): Seen {
  return JSON.parse(report.text) as Seen;
}
