import type { LeafCommand } from '../../program/cli-command.ts';
import { integer } from '../../program/option-values.ts';
import { addRestoreOptions, restoreFiles, type RestoreFilesOptions } from './restore-files.ts';

interface Options extends RestoreFilesOptions {
  turn: number;
  after?: true;
}

export const command: LeafCommand = {
  name: 'restore',
  summary: 'restore a file or folder to its state before a turn',
  server: 'local',
  declare: (declared) =>
    addRestoreOptions(
      declared
        .argument('<file>', 'relative to the workspace')
        .requiredOption('--turn <number>', 'the turn', integer(1))
        .option('--after', 'its state after that turn'),
    ),
  run: (path: string, { turn, after, ...options }: Options) =>
    restoreFiles({ kind: 'file', path, turn, side: after ? 'after' : 'before' }, options),
};
