import type { LeafCommand } from '../../program/cli-command.ts';
import { integer } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';
import { addRestoreOptions, restoreFiles } from './restore-files.ts';

export const command: LeafCommand = {
  name: 'undo',
  summary: 'undo the changes of a session in the workspace',
  examples: ['klaus undo', 'klaus undo 3 --dry-run', 'klaus undo --session 01J'],
  description:
    'Undoes all changes of the last prompt, including those of shell commands, of ignored files and in folders without git. Repositories that a command created are removed.',
  footer: 'klaus show ID prints the numbers of turns. klaus redo applies an undone change again.',
  server: 'local',
  declare: (declared) =>
    addRestoreOptions(
      declared
        .argument('[turn]', 'the same as --turn', integer(1))
        .option('--turn <number>', 'undo this turn and all later ones', integer(1))
        .option('--step', 'undo only the last turn that changed something')
        .option('--git', 'also undo changes of git data: HEAD, branches, tags, index, stash, reflogs'),
    ),
  run(first: number | undefined, given: Options & { turn?: number; step?: true; git?: true }) {
    const { turn = first, step, git, ...options } = given;
    return restoreFiles({ kind: 'undo', turn, step, git }, options);
  },
};
