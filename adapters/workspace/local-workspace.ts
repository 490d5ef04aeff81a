import { KlausError } from '@klaus/core/protocol';
import type { Workspace } from '@klaus/core/agent';
import { applyEdits } from './apply.ts';
import { findChanges, takeMark } from './changed-since.ts';
import { hashContent } from './content.ts';
import { createJournal, recoverEdits } from './journal.ts';
import { toFolder } from './local-folder.ts';
import { findNames } from './secrets/find-secret-files.ts';
import { openWorkspaceRoot, type RootOptions } from './root.ts';
import { withEntry } from './path-entry.ts';

export interface WorkspaceOptions extends RootOptions {
  /**
   * A folder in Klaus's own state for marks and for the journal, with which the next start undoes an incomplete step of a
   * killed process. Default: no journal.
   */
  stateDir?: string;
}

/** Default limit of `changedSince`. */
const DEFAULT_LIMIT = 200;

/**
 * Opens a folder as a workspace and undoes incomplete steps of killed processes.
 *
 * @throws KlausError `workspace.missing` when there is no such directory; `workspace.refused` for `/`, the home folder
 *   and its parents, and Klaus's own state, unless `allowAny`.
 */
export async function createWorkspace(folder: string, options: WorkspaceOptions = {}): Promise<Workspace> {
  const root = openWorkspaceRoot(folder, options);
  const journal = options.stateDir === undefined ? undefined : createJournal(options.stateDir);
  if (journal) await recoverEdits(root, journal);
  return {
    ...toFolder(root),
    hash: (path) => withEntry(root, path, hashContent),
    otherNames: (path) =>
      withEntry(root, path, async ({ relative, stat }) => {
        if (!stat?.isFile() || stat.nlink <= 1n) return { names: [], isShared: false };
        const all = await findNames(root.path, new Set([`${stat.dev}:${stat.ino}`]));
        return { names: all.filter((name) => name !== relative), isShared: all.length < Number(stat.nlink) };
      }),
    apply: (edits) => applyEdits(root, edits, journal),
    mark: () => takeMark(options.stateDir),
    changedSince(mark, { limit = DEFAULT_LIMIT } = {}) {
      if (!Number.isInteger(limit) || limit < 1) throw new KlausError('usage', 'The limit must be a positive integer.');
      return findChanges(root, mark, limit);
    },
  };
}
