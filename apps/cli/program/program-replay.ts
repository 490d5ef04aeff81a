import { type Command, InvalidArgumentError } from 'commander';
import type { ForkCommandOptions } from '../commands/sessions/fork.ts';

type Done = (exitCode: number) => void;

function toSeq(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be the seq of an event, from 1.');
  return value;
}

/** Commands that run a session again, or from another point on. */
export function addReplay(program: Command, done: Done): void {
  program
    .command('replay')
    .summary('run a session again offline, and say where it first differs from its log')
    .description(
      'Runs the loop again on what models, tools and people are recorded to have said, touching nothing, and compares every request and every event. Exit code 0: equal; 1: different, or not to be replayed.',
    )
    .argument('<id>', 'session id or its beginning')
    .option('--json', 'one JSON document')
    .action(async (id: string, options: { json?: true }) => {
      done(await (await import('../commands/sessions/replay.ts')).replay(id, options));
    });
  program
    .command('fork')
    .summary('begin a session as a copy of another one, up to an event')
    .description(
      'Begins a session as a copy of another one. The original is not changed; the fork has a budget of its own and works in the same folder, on the files of now.',
    )
    .argument('<id>', 'session id or its beginning')
    .option('--at <seq>', 'the last event that is taken over (default: the last)', toSeq)
    .option('--model <name>', 'the model that the fork goes on with')
    .option('--title <text>', 'the title of the fork')
    .option('--restore', 'put the workspace back to the kept state that is nearest to that event')
    .option('--keep', 'with --restore: leave alone what somebody else changed meanwhile')
    .option('--overwrite', 'with --restore: put back also what somebody else changed meanwhile')
    .option('--json', 'one JSON document')
    .addHelpText(
      'after',
      '\nklaus show ID --json prints the events with their seq.\n\nExample:\n  klaus fork 01J --at 42 --model opus',
    )
    .action(async (id: string, options: ForkCommandOptions) => {
      done(await (await import('../commands/sessions/fork.ts')).fork(id, options));
    });
}
