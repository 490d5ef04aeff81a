import type { Tool } from '@klaus/core/agent';
import { applyPatch } from './files/apply-patch.ts';
import { deleteFile } from './files/delete-file.ts';
import { editFile } from './files/edit-file.ts';
import { readFile } from './files/read-file.ts';
import { writeFile } from './files/write-file.ts';
import { gitCheckpoint } from './git/git-checkpoint.ts';
import { gitDiff } from './git/git-diff.ts';
import { gitLog } from './git/git-log.ts';
import { gitStatus } from './git/git-status.ts';
import { listFiles } from './search/list-files.ts';
import { searchFiles } from './search/search-files.ts';
import { runCommand } from './shell/run-command.ts';
import { runTests } from './test/run-tests.ts';

/** Every built-in tool. The order is part of each request's prefix: append, never insert. */
export const builtinTools: readonly Tool[] = [
  readFile,
  writeFile,
  editFile,
  applyPatch,
  deleteFile,
  listFiles,
  searchFiles,
  runCommand,
  runTests,
  gitStatus,
  gitDiff,
  gitLog,
  gitCheckpoint,
];
