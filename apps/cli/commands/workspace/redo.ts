import type { LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import { addRestoreOptions, restoreFiles } from './restore-files.ts';

export const command: LeafCommand = {
  name: 'redo',
  summary: 'apply the last undone change again, or undo the last restore',
  examples: ['klaus redo'],
  server: 'local',
  declare: addRestoreOptions,
  run: (options: Options) => restoreFiles({ kind: 'redo' }, options),
};
