import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { KlausError } from '@klaus/sdk';
import { readForeignFileSync } from '@klaus/sdk/foreign-file';

/** The folders in which a session works. */
export interface SessionFolders {
  /** Absolute path. */
  workspace: string;
  /** Its private clone, if it has one. */
  workingCopy?: { path: string; branch: string };
}

/**
 * Checks, before a session is worked on, that its workspace, its working copy and the branch of the copy exist.
 *
 * @throws KlausError `workspace.missing`.
 */
export function checkFolders({ workspace, workingCopy }: SessionFolders): void {
  if (workingCopy !== undefined) {
    const { path, branch } = workingCopy;
    if (!isFolder(path)) throw missing(`Its working copy ${path} does not exist.`);
    if (!hasBranch(path, branch)) throw missing(`Its working copy ${path} has no branch ${branch}.`);
  }
  if (!isFolder(workspace)) throw missing(`Its workspace ${workspace} does not exist.`);
}

function missing(message: string): KlausError {
  return new KlausError('workspace.missing', message, {
    hint: 'Restore it and send a message to the session, or start another session. Its log is complete.',
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Reads the files of Git, because a program would cost more than the rest of a start. */
function hasBranch(path: string, branch: string): boolean {
  const git = join(path, '.git');
  // The refs of a linked worktree, and those in a table, are in other files: not checked.
  if (!isFolder(git)) return existsSync(git);
  if (existsSync(join(git, 'reftable')) || existsSync(join(git, 'refs', 'heads', branch))) return true;
  try {
    const packed = readForeignFileSync(join(git, 'packed-refs'), { max: 64 * 1_024 * 1_024 }).text;
    return packed.split('\n').some((line) => line.endsWith(` refs/heads/${branch}`));
  } catch {
    return false;
  }
}
