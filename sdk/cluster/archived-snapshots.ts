import { createHash } from 'node:crypto';
import {
  archiveState,
  findState,
  isBase,
  readPacks,
  type ArchivedState,
  type ObjectStore,
} from '@klaus/adapters/objects';
import type { LocalSnapshots } from '@klaus/adapters/workspace';
import type { ApplyResult, Snapshots } from '@klaus/core/agent';
import type { TreeId } from '@klaus/core/protocol';

/** Snapshots whose states other workers can read. */
export interface ArchivedSnapshots extends Snapshots {
  /** Reads a state of another worker. Does nothing for one that is here, or that no worker stored. */
  fetch(tree: TreeId): Promise<void>;
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
  const workspace = createHash('sha256').update(root).digest('hex').slice(0, 32);
  const archive = new Archive(local, { objects, workspace });
  const applied = async (result: ApplyResult): Promise<ApplyResult> => {
    if (result.applied) for (const tree of [result.before, result.after]) await archive.store(tree);
    return result;
  };
  return {
    fetch: (tree) => archive.fetch(tree),
    async snapshot(options) {
      if (options?.only) await archive.fetch(options.only.base);
      return await archive.store(await local.snapshot(options));
    },
    async snapshotGit(tree) {
      await archive.fetch(tree);
      const state = await local.snapshotGit(tree);
      return state && (await archive.store(state));
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
    apply: async (...given) => await applied(await local.apply(...given)),
    applyGit: async (...given) => await applied(await local.applyGit(...given)),
    hasGitObject: (...given) => local.hasGitObject(...given),
    isSameIndex: (...given) => local.isSameIndex(...given),
    gitlinks: (index) => local.gitlinks(index),
    has: (tree) => local.has(tree),
    uncovered: (tree) => local.uncovered(tree),
    git: (tree) => local.git(tree),
    content: (entry) => local.content(entry),
    put: (...given) => local.put(...given),
  };
}

class Archive {
  readonly #local: LocalSnapshots;
  readonly #objects: ObjectStore;
  readonly #workspace: string;
  /** States that are in the archive, as far as this process knows. */
  readonly #known = new Map<TreeId, ArchivedState>();
  /** Packs whose content is here. */
  readonly #packs = new Set<string>();
  #last: ArchivedState | undefined;
  /** One state after the other, so that each is the base of the next. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(local: LocalSnapshots, { objects, workspace }: { objects: ObjectStore; workspace: string }) {
    this.#local = local;
    this.#objects = objects;
    this.#workspace = workspace;
  }

  store(tree: TreeId): Promise<TreeId> {
    return this.#inTurn(async () => {
      if (!this.#known.has(tree)) this.#remember(await this.#archive(tree));
      return tree;
    });
  }

  fetch(tree: TreeId): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#local.has(tree)) return;
      const state = await findState(this.#objects, { workspace: this.#workspace, tree });
      if (!state) return;
      const have = { ...state, packs: [...this.#packs] };
      const packs = readPacks(this.#objects, { workspace: this.#workspace, state, known: have });
      await this.#local.unpack(packs, tree);
      for (const name of state.packs) this.#packs.add(name);
      this.#remember(state);
    });
  }

  async #archive(tree: TreeId): Promise<ArchivedState> {
    const stored = await findState(this.#objects, { workspace: this.#workspace, tree });
    if (stored) return stored;
    const last = this.#last;
    const base = last && isBase(last) && this.#local.has(last.tree) ? last : undefined;
    const packs = this.#noted(this.#local.pack(tree, base?.tree));
    return await archiveState(this.#objects, { workspace: this.#workspace, tree, base, packs });
  }

  /** A state that another worker stored before may have packs whose content is not here. */
  async *#noted(packs: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const pack of packs) {
      this.#packs.add(createHash('sha256').update(pack).digest('hex'));
      yield pack;
    }
  }

  #remember(state: ArchivedState): void {
    this.#known.set(state.tree, state);
    this.#last = state;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#queue.then(work);
    this.#queue = next.catch(() => undefined);
    return next;
  }
}
