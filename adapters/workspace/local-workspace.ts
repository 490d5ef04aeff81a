import { KlausError, type FileChange } from '@klaus/core/protocol';
import type { FileEdit, Workspace } from '@klaus/core/agent';
import { applyEdits } from './apply.ts';
import { findChanges, takeMark } from './changed-since.ts';
import { hashContent } from './content.ts';
import { createJournal, type Journal } from './journal.ts';
import { LocalFolder } from './local-folder.ts';
import { recoverEdits } from './recover.ts';
import { openWorkspaceRoot, type RootOptions } from './root.ts';
import { withEntry, type Root } from './path-entry.ts';

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
  return new LocalWorkspace(root, { journal, stateDir: options.stateDir });
}

class LocalWorkspace extends LocalFolder implements Workspace {
  readonly #root: Root;
  readonly #journal: Journal | undefined;
  readonly #stateDir: string | undefined;

  constructor(root: Root, state: { journal: Journal | undefined; stateDir: string | undefined }) {
    super(root);
    this.#root = root;
    this.#journal = state.journal;
    this.#stateDir = state.stateDir;
  }

  hash(path: string): Promise<string | null> {
    return withEntry(this.#root, path, hashContent);
  }

  apply(edits: readonly FileEdit[]): Promise<FileChange[]> {
    return applyEdits(this.#root, edits, this.#journal);
  }

  mark(): Promise<string> {
    return takeMark(this.#stateDir);
  }

  changedSince(mark: string, options: { limit?: number } = {}): Promise<FileChange[]> {
    const limit = options.limit ?? DEFAULT_LIMIT;
    if (!Number.isInteger(limit) || limit < 1) throw new KlausError('usage', 'The limit must be a positive integer.');
    return findChanges(this.#root, mark, limit);
  }
}
