import { headOf } from '@klaus/sdk/cut-text';
import { resolve } from 'node:path';
import { KlausError } from '@klaus/sdk';
import type { AllowedWorkspaces } from './allowed-workspaces.ts';
import { holds, toReal } from './real-folder.ts';

/** The folders whose sessions and files a person may see. */
export interface SeenFolders {
  /** True if these are all. */
  readonly isComplete: boolean;
  /** Absolute paths, as in `server.projects`; empty if these are all. */
  readonly folders: readonly string[];
  /** @param folder Absolute path of a workspace, a project or a working copy. It may no longer exist. */
  readonly sees: (folder: string) => boolean;
}

export const EVERY_FOLDER: SeenFolders = { isComplete: true, folders: [], sees: () => true };

/**
 * @param folders Absolute paths. What is below them is seen too. Links are resolved at each question.
 * @param repositoryOf The repository of the working copy that contains a folder: who sees it sees the copy.
 */
export function createSeenFolders(
  folders: readonly string[],
  repositoryOf: (path: string) => string | undefined,
): SeenFolders {
  return {
    isComplete: false,
    folders,
    sees(folder) {
      if (folder === '') return false;
      const { path } = toReal(repositoryOf(folder) ?? folder);
      return folders.some((seen) => holds(toReal(seen).path, path));
    },
  };
}

/** @throws KlausError `workspace.outside`. */
export function checkSeen({ folders, sees }: SeenFolders, folder: string): void {
  if (sees(folder)) return;
  const what =
    folders.length === 0 ? 'You may see no project of this server.' : `You may not see ${headOf(folder, 200)}.`;
  throw new KlausError('workspace.outside', what, {
    hint: 'An administrator can give the folder to one of your groups, with the setting `server.projects`.',
  });
}

/**
 * The same workspaces without those that a person may not see. Whether a folder that is not seen exists stays unknown.
 * If the default workspace is not seen, the first folder is the default.
 */
export function limitWorkspaces(workspaces: AllowedWorkspaces, seen: SeenFolders): AllowedWorkspaces {
  const check = (workspace: string): void => checkSeen(seen, resolve(workspaces.configured, workspace));
  return {
    configured: seen.sees(workspaces.configured) ? workspaces.configured : (seen.folders[0] ?? workspaces.configured),
    check(workspace, from) {
      check(workspace);
      return workspaces.check(workspace, from);
    },
    checkNew(workspace, from) {
      check(workspace);
      return workspaces.checkNew(workspace, from);
    },
    checkKnown(workspace) {
      check(workspace);
      workspaces.checkKnown(workspace);
    },
    checkAllowable(workspace) {
      check(workspace);
      return workspaces.checkAllowable(workspace);
    },
    allowsKnown: (workspace) => seen.sees(workspace) && workspaces.allowsKnown(workspace),
  };
}
