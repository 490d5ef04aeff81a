import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findSource, storeSource, toWorkspaceName, type ObjectStore } from '@klaus/adapters/objects';
import type { PostgresWorkerStore } from '@klaus/adapters/postgres-store';
import { lockFile, type FileLock } from '@klaus/adapters/store';
import {
  cloneRepository,
  createSnapshots,
  disarmRepositories,
  openWorkspaceRoot,
  rebuildWorkspace,
  type LocalSnapshots,
} from '@klaus/adapters/workspace';
import { EMPTY_STATE } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { fetchForeignState, type ArchivedSnapshots, type Holder } from './archived-snapshots.ts';
import type { ManagedFolder } from './managed-folder.ts';
import { findNewestState } from './newest-state.ts';

/** The snapshots of a workspace on this machine, and the same with the archive. */
export interface OpenedWorkspace {
  local: LocalSnapshots;
  archived: ArchivedSnapshots;
}

/** What a new managed workspace contains. */
export type WorkspaceOrigin =
  /** The files of a folder of this machine, with those that git ignores. */
  | { folder: string }
  /** A repository that git clones with the credentials of this machine. */
  | { url: string; ref?: string }
  /** The newest state of another managed workspace. @param workspace Its absolute path. */
  | { workspace: string };

export interface ManagedWorkspacesParts {
  folder: ManagedFolder;
  /** Absolute path of the state folder. */
  home: string;
  objects: ObjectStore;
  store: Pick<PostgresWorkerStore, 'claim' | 'workspaceStates'>;
  open: (root: string) => Promise<OpenedWorkspace>;
  /** Closes the snapshots of a workspace whose folder was removed. */
  forget: (root: string) => Promise<void>;
}

/** The workspaces that workers create from the bucket. One process of all machines at a time runs sessions in each. */
export class ManagedWorkspaces {
  readonly #parts: ManagedWorkspacesParts;

  constructor(parts: ManagedWorkspacesParts) {
    this.#parts = parts;
  }

  contains(workspace: string): boolean {
    return this.#parts.folder.contains(workspace);
  }

  /**
   * Makes the folder equal to the newest state in the log, for a run. Dispose of the result after the run.
   *
   * @returns Undefined while another process uses the workspace.
   * @throws KlausError `workspace.refused` for a folder that is not managed, `store.corrupt` for a state that is damaged or
   *   missing, `store.busy`, `store.full`.
   */
  async use(workspace: string, session: string): Promise<AsyncDisposable | undefined> {
    await using stack = new AsyncDisposableStack();
    const lock = this.#lock(workspace);
    if (!lock) return undefined;
    stack.defer(() => lock.release());
    const lease = await this.#parts.store.claim(`workspace-${toWorkspaceName(workspace)}`);
    if (!lease) return undefined;
    stack.defer(() => lease.release());
    await this.#rebuild(workspace, { session, fence: lease.fence });
    return stack.move();
  }

  /**
   * Provides the folder on this machine, for opening a session. Does nothing while a process of this machine uses it.
   *
   * @throws KlausError As {@link use}.
   */
  async provide(workspace: string): Promise<void> {
    const lock = this.#lock(workspace);
    if (!lock) return;
    try {
      await this.#rebuild(workspace, {});
    } finally {
      lock.release();
    }
  }

  /**
   * Creates a workspace, and stores its first state in the bucket. Repositories in it lose their hooks, the configuration
   * with which git runs programs, and passwords of remotes.
   *
   * @param given.name Name of its folder. Default: a new one.
   * @returns The absolute path, for `open`.
   * @throws KlausError `usage` for an invalid or used name or origin, `workspace.missing`, `tool.failed`.
   */
  async create(given: { from: WorkspaceOrigin; name?: string }): Promise<string> {
    const { folder, objects, open } = this.#parts;
    const workspace = folder.toPath(given.name ?? randomUUID());
    const name = toWorkspaceName(workspace);
    const lock = this.#lock(workspace);
    const isUsed = !lock || (await findSource(objects, name)) || (await findNewestState(this.#parts.store, workspace));
    try {
      if (isUsed) throw inUse(workspace);
      const isNew = folder.prepare(workspace);
      if (!isNew && folder.readMarker(workspace)?.state === 'ready') throw inUse(workspace);
      folder.mark(workspace, { state: 'rebuilding' });
      const { local, archived } = await open(workspace);
      await this.#fill(workspace, { local, from: given.from });
      await local.snapshot();
      await disarmRepositories(workspace, local.repositories);
      archived.manage({});
      const tree = await archived.snapshot();
      const git = await archived.snapshotGit(tree);
      if (!(await storeSource(objects, name, { tree, git }))) throw inUse(workspace);
      folder.mark(workspace, { state: 'ready', tree, git });
      return workspace;
    } finally {
      lock?.release();
    }
  }

  async #fill(workspace: string, { local, from }: { local: LocalSnapshots; from: WorkspaceOrigin }): Promise<void> {
    // A process that created it may have been killed.
    await rebuildWorkspace(local, workspace, { tree: EMPTY_STATE });
    if ('url' in from) return await cloneRepository(workspace, from);
    if ('folder' in from) return await copyFolder(resolve(from.folder), workspace, { local, home: this.#parts.home });
    const { objects, store } = this.#parts;
    const root = from.workspace;
    const state = (await findNewestState(store, root)) ?? (await findSource(objects, toWorkspaceName(root)));
    if (!state) {
      throw new KlausError('usage', `No state of ${root} is stored.`, {
        hint: 'Use the path of a managed workspace in which a session has worked.',
      });
    }
    await rebuildWorkspace(local, workspace, await fetchForeignState(local, { objects, root, state }));
  }

  async #rebuild(workspace: string, holder: Holder): Promise<void> {
    const { folder, objects, store, open, forget } = this.#parts;
    const newest = await findNewestState(store, workspace);
    const state = newest ?? (await findSource(objects, toWorkspaceName(workspace))) ?? { tree: EMPTY_STATE };
    // Snapshots belong to a folder, not to its path.
    if (folder.prepare(workspace)) await forget(workspace);
    folder.mark(workspace, { state: 'rebuilding', ...state });
    const { archived } = await open(workspace);
    archived.manage(holder);
    await archived.rebuild(state);
    folder.mark(workspace, { state: 'ready', ...state });
  }

  #lock(workspace: string): FileLock | undefined {
    return lockFile(this.#parts.folder.toLockFile(workspace));
  }
}

/** Copies a folder with its repositories. */
async function copyFolder(
  from: string,
  to: string,
  { local, home }: { local: LocalSnapshots; home: string },
): Promise<void> {
  // Refuses the root folder and the home folder of the user.
  openWorkspaceRoot(from, { klausHome: home });
  const stateDir = mkdtempSync(join(tmpdir(), 'klaus-upload-'));
  try {
    using source = await createSnapshots(from, { stateDir, klausHome: home });
    const tree = await source.snapshot();
    await local.unpack(source.pack(tree), tree);
    const git = await source.snapshotGit(tree);
    const contents = git && (await source.snapshotGitContents(git));
    for (const state of [git, contents]) if (state !== undefined) await local.unpack(source.pack(state), state);
    await rebuildWorkspace(local, to, { tree, git, contents });
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}

function inUse(workspace: string): KlausError {
  return new KlausError('usage', `There is a managed workspace ${workspace} already.`, {
    hint: 'Choose another name, or open the session in it.',
  });
}
