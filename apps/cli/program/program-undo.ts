import { optional } from '@klaus/sdk/optional';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { GateTestOptions } from '../commands/policy/gate.ts';
import { RAW_OPTION } from './run-options.ts';
import type { UndoOptions } from '../commands/workspace/undo.ts';

type Done = (exitCode: number) => void;

/** How much is undone. */
interface UndoWhat {
  turn?: number;
  step?: true;
  git?: true;
}

function toTurn(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be the number of a turn, from 1.');
  return value;
}

function addRestoreOptions(command: Command): Command {
  return command
    .option('--session <id>', 'the session (default: the latest of this folder)')
    .option('--dry-run', 'only say what would be done')
    .option('--keep', 'leave alone what somebody else changed meanwhile, and do the rest')
    .option('--overwrite', 'put back also what somebody else changed meanwhile')
    .option('--json', 'one JSON document');
}

/** Commands that look at what a session changed and put it back. */
export function addUndo(program: Command, done: Done): void {
  const undo = program
    .command('undo')
    .summary('undo what a session changed in the workspace')
    .description(
      'Undoes everything that the last prompt changed: also what shell commands did, ignored files and folders without git. Repositories that a command created go too.',
    )
    .argument('[turn]', 'the same as --turn', toTurn)
    .option('--turn <number>', 'undo this turn and all later ones', toTurn)
    .option('--step', 'undo only the last turn that changed something')
    .option('--git', "undo also what happened to git's own data: HEAD, branches, tags, index, stash, reflogs")
    .option('--yes', 'with --git: do not ask before refs move')
    .addHelpText('after', '\nklaus show ID prints the numbers of turns. An undo can be undone: klaus redo.');
  addRestoreOptions(undo).action(async (first: number | undefined, options: UndoOptions & UndoWhat) => {
    const { git, step, turn = first } = options;
    const given = { ...optional({ turn }), ...(step ? { step } : {}), ...(git ? { git } : {}) };
    done(await (await import('../commands/workspace/undo.ts')).undo({ kind: 'undo', ...given }, options));
  });
  addRestoreOptions(
    program.command('redo').summary('make again what the last undo took back, or take back the last restore'),
  ).action(async (options: UndoOptions) =>
    done(await (await import('../commands/workspace/undo.ts')).undo({ kind: 'redo' }, options)),
  );
  const restore = program
    .command('restore')
    .summary('put one file or folder back as it was before a turn')
    .argument('<file>', 'relative to the workspace')
    .requiredOption('--turn <number>', 'the turn', toTurn)
    .option('--after', 'as it was after that turn');
  addRestoreOptions(restore).action(async (path: string, options: UndoOptions & { turn: number; after?: true }) => {
    const side = options.after ? ('after' as const) : ('before' as const);
    const request = { kind: 'file' as const, path, turn: options.turn, side };
    done(await (await import('../commands/workspace/undo.ts')).undo(request, options));
  });
  program
    .command('diff')
    .summary('show what a session changed in the workspace')
    .argument('[turn]', 'only this turn', toTurn)
    .option('--session <id>', 'the session (default: the latest of this folder)')
    .option('--names', 'only the names of what changed')
    .option('--plain', 'no colours')
    .option('--raw', RAW_OPTION)
    .option('--json', 'one JSON document')
    .action(
      async (
        turn: number | undefined,
        options: { session?: string; json?: true; plain?: true; names?: true; raw?: true },
      ) => {
        done(await (await import('../commands/workspace/diff.ts')).diff(turn, options));
      },
    );
}

/** Commands that ask the gate. */
export function addGate(program: Command, done: Done): void {
  const gate = program.command('gate').summary('ask the gate what it would say');
  gate
    .command('test')
    .summary('judge a shell command without running it: exit 0 allowed, 6 denied or asked')
    .argument('<command...>', 'the command, best in single quotes')
    .addOption(
      new Option('--approve <mode>', 'the approval mode (default: auto)').choices(['plan', 'ask', 'edits', 'auto']),
    )
    .option(
      '--grant <text>',
      'authority instead of the default one; may be given more than once',
      (text: string, all: string[] | undefined): string[] => [...(all ?? []), text],
    )
    .option('--cwd <folder>', 'the workspace (default: the current folder)')
    .option('--json', 'one JSON object on one line')
    .addHelpText('after', "\nExample:\n  klaus gate test 'git push --force'")
    .action(async (words: string[], options: GateTestOptions) => {
      done(await (await import('../commands/policy/gate.ts')).gateTest(words, options));
    });
}
