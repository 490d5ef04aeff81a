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
   * A folder of Klaus's own, outside the workspace: for marks, and for the journal with which a step that was
   * cut off by a kill is taken back at the next start. Without it there is no such journal.
   */
  stateDir?: string;
}

/** Rows of `changedSince` where the caller names no limit. */
const DEFAULT_LIMIT = 200;

/**
 * Opens a folder as a workspace and tidies up after a process that was killed while writing into it.
 *
 * @throws KlausError `workspace.missing` when there is no such directory; `workspace.refused` for `/`, the
 *   home folder, what holds it, and Klaus's own state, unless `allowAny`.
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
    if (!Number.isInteger(limit) || limit < 1)
      throw new KlausError('usage', 'The limit must be a whole number above 0.');
    return findChanges(this.#root, mark, limit);
  }
}
