import { type Command, InvalidArgumentError, Option } from 'commander';
import type { UsageOptions } from '../commands/sessions/usage.ts';
import { addServerOptions } from './server-option.ts';

/** `klaus usage`: what requests to models cost. */
export function addUsage(program: Command, done: (exitCode: number) => void): void {
  const usage = program
    .command('usage')
    .summary('say what requests to models cost, and what is left of the limits of a session')
    .description(
      'Adds up what requests to models were charged, from the log: of all sessions, or of one and those that it began.',
    )
    .argument('[id]', 'session id or its beginning')
    .addOption(
      new Option('--by <what>', 'what a row stands for (default: model for one session, else day)').choices([
        'day',
        'model',
        'session',
      ]),
    )
    .option('--since <date>', 'only requests that ended from then on, such as 2026-01-31 (in UTC)', toTime)
    .option('--json', 'one JSON document')
    .addHelpText('after', '\nExample:\n  klaus usage --by model --since 2026-01-01');
  addServerOptions(usage).action(async (id: string | undefined, options: UsageOptions) => {
    done(await (await import('../commands/sessions/usage.ts')).usage(id, options));
  });
}

function toTime(text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be a date, such as 2026-01-31.');
  return time;
}
