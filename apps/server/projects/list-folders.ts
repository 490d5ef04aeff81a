import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KlausError } from '@klaus/sdk';
import type { AllowedWorkspaces } from '../access/allowed-workspaces.ts';
import { toReal } from '../access/real-folder.ts';
import type { FolderView } from '../contract/index.ts';

/** Most folders of an answer. */
const MAX = 500;

interface ListFoldersOptions {
  /** Absolute. */
  path: string;
  workspaces: AllowedWorkspaces;
  isLocal: boolean;
  /** True for a sender who may allow folders. Others see only folders in which they may open sessions. */
  canAllow: boolean;
}

/**
 * A folder with the folders in it, without hidden ones.
 *
 * @throws KlausError `workspace.missing`, and for a sender who may not allow folders `workspace.outside` and
 *   `workspace.refused`.
 */
export function listFolders({ path: given, workspaces, isLocal, canAllow }: ListFoldersOptions): FolderView {
  const stateOf = (path: string): FolderView['state'] => {
    try {
      workspaces.checkNew(path, { isLocal });
      return 'allowed';
    } catch (error) {
      if (!(error instanceof KlausError)) throw error;
      return error.code === 'workspace.outside' ? 'outside' : 'refused';
    }
  };
  const path = canAllow ? toFolder(given) : workspaces.check(given, { isLocal });
  const parent = dirname(path);
  const names = readNames(path);
  return {
    path,
    parent: parent === path || (!canAllow && stateOf(parent) !== 'allowed') ? null : parent,
    state: stateOf(path),
    canAllow,
    folders: names.slice(0, MAX).map((name) => ({ name, isRepository: existsSync(join(path, name, '.git')) })),
    isPart: names.length > MAX,
  };
}

function toFolder(given: string): string {
  const { path, exists } = toReal(given);
  if (exists) return path;
  throw new KlausError('workspace.missing', `${given.slice(0, 200)} is not a folder on the server.`, {
    hint: 'Use a folder that exists on the machine of the server.',
  });
}

function readNames(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || isFolderLink(path, entry)))
      .map(({ name }) => name)
      .toSorted((a, b) => a.localeCompare(b));
  } catch (cause) {
    throw new KlausError('workspace.missing', `The folder ${path} cannot be read.`, {
      hint: 'Choose another folder, or let the user of the server read it.',
      cause,
    });
  }
}

function isFolderLink(path: string, entry: { name: string; isSymbolicLink: () => boolean }): boolean {
  if (!entry.isSymbolicLink()) return false;
  try {
    return statSync(join(path, entry.name)).isDirectory();
  } catch {
    return false;
  }
}
