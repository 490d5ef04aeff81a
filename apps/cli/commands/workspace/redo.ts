import type { LeafCommand } from '../../program/cli-command.ts';
import { addRestoreOptions, restoreFiles, type RestoreFilesOptions } from './restore-files.ts';

export const command: LeafCommand = {
  name: 'redo',
  summary: 'apply the last undone change again, or undo the last restore',
  server: 'local',
  declare: addRestoreOptions,
  run: (options: RestoreFilesOptions) => restoreFiles({ kind: 'redo' }, options),
};
