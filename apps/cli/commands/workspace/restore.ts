import type { LeafCommand } from '../../program/cli-command.ts';
import { integer } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';
import { addRestoreOptions, restoreFiles } from './restore-files.ts';

export const command: LeafCommand = {
  name: 'restore',
  summary: 'restore a file or folder to its state before a turn',
  examples: ['klaus restore src/cart.js', 'klaus restore src/cart.js --turn 2'],
  server: 'local',
  declare: (declared) =>
    addRestoreOptions(
      declared
        .argument('<file>', 'relative to the workspace')
        .requiredOption('--turn <number>', 'the turn', integer(1))
        .option('--after', 'its state after that turn'),
    ),
  run: (path: string, { turn, after, ...options }: Options & { turn: number; after?: true }) =>
    restoreFiles({ kind: 'file', path, turn, side: after ? 'after' : 'before' }, options),
};
