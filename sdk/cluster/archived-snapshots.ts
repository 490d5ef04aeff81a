import {
  archiveState,
  countKnown,
  findState,
  GRACE_MS,
  isBase,
  readPacks,
  renewState,
  toWorkspaceName,
  type ArchivedState,
  type ObjectStore,
  type WorkspaceSource,
} from '@klaus/adapters/objects';
import { rebuildWorkspace, type LocalSnapshots, type WorkspaceState } from '@klaus/adapters/workspace';
import type { ApplyResult, Snapshots } from '@klaus/core/agent';
import { KlausError, type TreeId } from '@klaus/core/protocol';

/** Who makes the next states, for the manifests. Absent for the state with which a workspace begins. */
export interface Holder {
  session?: string;
  /** Of the lease of the workspace. */
  fence?: number;
}

/** Snapshots whose states other workers can read. */
export interface ArchivedSnapshots extends Snapshots {
  /**
   * Reads a state of another worker that the log names. Does nothing for one that is here, or that no worker stored.
   *
   * @param kind What it contains. Default: not known.
   */
  fetch(tree: TreeId, kind?: 'files' | 'git'): Promise<void>;
  /**
   * Makes the workspace equal to a state, with the repositories in it.
   *
   * @throws KlausError `store.corrupt` when the archive does not have it.
   */
  rebuild(state: WorkspaceSource): Promise<void>;
  /** From now on the objects of repositories are archived too, and manifests name this holder. */
  manage(holder: Holder): void;
  /** Stores a state of this machine in the archive. False for one that is neither here nor there. */
  archive(tree: TreeId): Promise<boolean>;
}

/**
 * Snapshots of a workspace with an archive in an object store. A state is in the archive before its id is returned, so
 * before an event can name it.
 *
 * @param root Absolute path of the workspace, which is the same on all workers.
 */
export function archiveSnapshots(
  local: LocalSnapshots,
  { objects, root }: { objects: ObjectStore; root: string },
): ArchivedSnapshots {
  const archive = new Archive(local, { objects, workspace: toWorkspaceName(root) });
  const applied = async (result: ApplyResult, kind: Kind): Promise<ApplyResult> => {
    if (result.applied) for (const tree of [result.before, result.after]) await archive.store(tree, kind);
    return result;
  };
  return {
    fetch: (...given) => archive.fetch(...given),
    rebuild: async (state) => await rebuildWorkspace(local, root, await archive.fetchAll(state)),
    manage: (holder) => archive.manage(holder),
    async archive(tree) {
      if (!local.has(tree)) return await archive.has(tree);
      await archive.store(tree, 'files');
      return true;
    },
    async snapshot(options) {
      if (options?.only) await archive.fetch(options.only.base);
      return await archive.store(await local.snapshot(options), 'files');
    },
    async snapshotGit(tree) {
      await archive.fetch(tree);
      const state = await local.snapshotGit(tree);
      return state && (await archive.store(state, 'git'));
    },
    async changes(from, to) {
      await archive.fetch(from);
      await archive.fetch(to);
      return await local.changes(from, to);
    },
    async entry(tree, path) {
      await archive.fetch(tree);
      return await local.entry(tree, path);
    },
    async links(tree) {
      await archive.fetch(tree);
      return await local.links(tree);
    },
    apply: async (...given) => await applied(await local.apply(...given), 'files'),
    applyGit: async (...given) => await applied(await local.applyGit(...given), 'git'),
    hasGitObject: (...given) => local.hasGitObject(...given),
    isSameIndex: (...given) => local.isSameIndex(...given),
    gitlinks: (index) => local.gitlinks(index),
    compareIndexes: (...given) => local.compareIndexes(...given),
    repairIndex: (...given) => local.repairIndex(...given),
    has: (tree) => local.has(tree),
    uncovered: (tree) => local.uncovered(tree),
    git: (tree) => local.git(tree),
    isStored: (entry) => local.isStored(entry),
    toolFolders: () => local.toolFolders(),
    content: (entry) => local.content(entry),
    async edit(base, rows) {
      await archive.fetch(base);
      return await archive.store(await local.edit(base, rows), 'files');
    },
    changeTimes: (paths) => local.changeTimes(paths),
    put: (...given) => local.put(...given),
  };
}

/**
 * Reads a state of another workspace into the snapshots of this one.
 *
 * @param from.root Absolute path of the other workspace.
 * @throws KlausError `store.corrupt` when the archive does not have it.
 */
export function fetchForeignState(
  local: LocalSnapshots,
  { objects, root, state }: { objects: ObjectStore; root: string; state: WorkspaceSource },
): Promise<WorkspaceState> {
  return new Archive(local, { objects, workspace: toWorkspaceName(root) }).fetchAll(state);
}

/** What a state contains. States of the same kind resemble each other. */
type Kind = 'files' | 'git' | 'contents';

class Archive {
  readonly #local: LocalSnapshots;
  readonly #objects: ObjectStore;
  readonly #workspace: string;
  /** States that are in the archive, and until when the garbage collection certainly spares them. */
  readonly #known = new Map<TreeId, { state: ArchivedState; until: number }>();
  /** The last state of each kind: it is the base of the next one. */
  readonly #last = new Map<Kind, ArchivedState>();
  #holder: Holder | undefined;
  /** One state after the other, so that each is the base of the next. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(local: LocalSnapshots, { objects, workspace }: { objects: ObjectStore; workspace: string }) {
    this.#local = local;
    this.#objects = objects;
    this.#workspace = workspace;
  }

  manage(holder: Holder): void {
    this.#holder = holder;
  }

  store(tree: TreeId, kind: Kind): Promise<TreeId> {
    return this.#inTurn(async () => {
      if (!this.#isKept(tree)) await this.#archive(tree, kind);
      return tree;
    });
  }

  async has(tree: TreeId): Promise<boolean> {
    return (await this.#find(tree)) !== undefined;
  }

  fetch(tree: TreeId, kind?: Kind): Promise<void> {
    return this.#inTurn(() => this.#fetch(tree, kind));
  }

  /** Reads a state with its repositories. @throws KlausError `store.corrupt` when the archive does not have it. */
  fetchAll({ tree, git }: WorkspaceSource): Promise<WorkspaceState> {
    return this.#inTurn(async () => {
      await this.#fetchNeeded(tree, 'files');
      if (git === undefined) return { tree };
      await this.#fetchNeeded(git, 'git');
      const contents = (await this.#find(git))?.gitContents;
      if (contents !== undefined) await this.#fetchNeeded(contents, 'contents');
      return { tree, git, contents };
    });
  }

  async #fetchNeeded(tree: TreeId, kind: Kind): Promise<void> {
    await this.#fetch(tree, kind);
    if (this.#local.has(tree)) return;
    throw new KlausError(
      'store.corrupt',
      `The bucket does not contain the state ${tree.slice(0, 12)} of a workspace.`,
      {
        hint: 'Restore the bucket from a backup. The folder of the session was not changed.',
      },
    );
  }

  async #fetch(tree: TreeId, kind?: Kind): Promise<void> {
    const isHere = this.#local.has(tree);
    // It is the base of the next state.
    if (isHere && (kind === undefined || this.#last.get(kind)?.tree === tree)) return;
    const state = await this.#find(tree);
    if (!state) return;
    const skip = countKnown(state, (base) => this.#local.has(base));
    if (!isHere) await this.#local.unpack(readPacks(this.#objects, { workspace: this.#workspace, state, skip }), tree);
    // The garbage collection spares the newest state of each kind that the log names, and may delete older ones.
    this.#remember(state, { kind, until: kind === undefined ? 0 : Infinity });
  }

  async #archive(tree: TreeId, kind: Kind): Promise<void> {
    const until = Date.now() + GRACE_MS / 2;
    const stored = await findState(this.#objects, { workspace: this.#workspace, tree });
    if (stored) {
      await renewState(this.#objects, { workspace: this.#workspace, state: stored });
      return this.#remember(stored, { kind, until });
    }
    const gitContents = kind === 'git' && this.#holder ? await this.#local.snapshotGitContents(tree) : undefined;
    if (gitContents !== undefined && !this.#isKept(gitContents)) await this.#archive(gitContents, 'contents');
    const base = this.#findBase(kind);
    const packs = this.#local.pack(tree, base?.tree);
    const saved = { ...{ workspace: this.#workspace, tree, base, packs, gitContents }, ...this.#holder };
    this.#remember(await archiveState(this.#objects, saved), { kind, until });
  }

  #isKept(tree: TreeId): boolean {
    const known = this.#known.get(tree);
    return known !== undefined && Date.now() < known.until;
  }

  /** The last state of a kind, if it cannot become garbage until the next one is stored. */
  #findBase(kind: Kind): ArchivedState | undefined {
    const last = this.#last.get(kind);
    return last && isBase(last) && this.#isKept(last.tree) && this.#local.has(last.tree) ? last : undefined;
  }

  async #find(tree: TreeId): Promise<ArchivedState | undefined> {
    return this.#known.get(tree)?.state ?? (await findState(this.#objects, { workspace: this.#workspace, tree }));
  }

  #remember(state: ArchivedState, { kind, until }: { kind: Kind | undefined; until: number }): void {
    const known = this.#known.get(state.tree);
    this.#known.set(state.tree, { state, until: Math.max(until, known?.until ?? 0) });
    if (kind) this.#last.set(kind, state);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#queue.then(work);
    this.#queue = next.catch(() => undefined);
    return next;
  }
}
