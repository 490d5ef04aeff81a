import { KlausError, type FileChange } from '@klaus/core/protocol';
import type { FileEdit, FileState, ReadOptions, ResolvedPath, Workspace } from '@klaus/core/agent';
import { applyEdits } from './apply.ts';
import { findChanges, takeMark } from './changed-since.ts';
import { hashContent, readContent } from './content.ts';
import { createJournal, type Journal } from './journal.ts';
import { recoverSteps } from './recover.ts';
import { openWorkspaceRoot, type RootOptions } from './root.ts';
import { shorten, withPlace, type Root } from './walk.ts';

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
  if (journal) await recoverSteps(root, journal);
  return new LocalWorkspace(root, { journal, stateDir: options.stateDir });
}

class LocalWorkspace implements Workspace {
  readonly root: string;
  readonly #root: Root;
  readonly #journal: Journal | undefined;
  readonly #stateDir: string | undefined;

  constructor(root: Root, state: { journal: Journal | undefined; stateDir: string | undefined }) {
    this.root = root.path;
    this.#root = root;
    this.#journal = state.journal;
    this.#stateDir = state.stateDir;
  }

  resolve(path: string): Promise<ResolvedPath> {
    return withPlace(this.#root, path, ({ relative, absolute, links }) => ({
      relative,
      absolute,
      ...(links.length > 0 ? { links } : {}),
    }));
  }

  stat(path: string): Promise<FileState | undefined> {
    return withPlace(this.#root, path, ({ stat }) => {
      if (!stat) return undefined;
      const kind = stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other';
      return { kind, size: Number(stat.size), mode: Number(stat.mode & 0o7777n) };
    });
  }

  read(path: string, options: ReadOptions = {}): Promise<Uint8Array> {
    return withPlace(this.#root, path, (place) => {
      if (options.exact === true && place.links.length > 0)
        throw new KlausError('tool.failed', `${shorten(path)} has become a symbolic link.`);
      return readContent(place, options);
    });
  }

  hash(path: string): Promise<string | null> {
    return withPlace(this.#root, path, hashContent);
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
