import { type Command, InvalidArgumentError } from 'commander';
import { RAW_OPTION } from './run-options.ts';
import type { LogsOptions, PsOptions, StopOptions } from '../commands/sessions/processes.ts';

type Done = (exitCode: number) => void;

const NAMES = `
PROCESS is SESSION/p1, where the beginning of the session's id is enough, or p1 alone where that is clear.
`;

/** Commands for what runs in the background of sessions. */
export function addProcesses(program: Command, done: Done): void {
  program
    .command('ps')
    .summary('list background processes')
    .description('Lists the background processes that run, of all sessions or of one.')
    .argument('[id]', 'session id or its beginning')
    .option('--all', 'also those that have ended')
    .option('--json', 'one object a line')
    .action(async (id: string | undefined, options: PsOptions) =>
      done(await (await import('../commands/sessions/processes.ts')).ps(id, options)),
    );
  program
    .command('logs')
    .summary('print what a background process wrote')
    .argument('<process>', 'such as 01J/p1')
    .option('-f, --follow', 'go on until it ends')
    .option('--since <byte>', 'from this byte of its output on', toByte)
    .option('--raw', RAW_OPTION)
    .option('--json', 'one object for each piece: text, from, next')
    .addHelpText('after', NAMES)
    .action(async (name: string, options: LogsOptions) =>
      done(await (await import('../commands/sessions/processes.ts')).logs(name, options)),
    );
  program
    .command('stop')
    .summary('end a background process with everything it started')
    .description('Asks everything in its sandbox to end and, three seconds later, ends it. klaus cancel ends a run.')
    .argument('<process>', 'such as 01J/p1')
    .option('--now', 'do not ask first')
    .option('--json', 'one JSON document')
    .addHelpText('after', NAMES)
    .action(async (name: string, options: StopOptions) =>
      done(await (await import('../commands/sessions/processes.ts')).stop(name, options)),
    );
}

function toByte(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < 0)
    throw new InvalidArgumentError('It must be a whole number from 0.');
  return value;
}
