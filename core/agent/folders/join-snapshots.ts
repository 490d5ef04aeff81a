import { isKlausError, KlausError, type TreeChange, type TreeEntry, type TreeId } from '../../protocol/index.ts';
import { EMPTY_STATE } from '../git/git-text.ts';
import type {
  ApplyGitOptions,
  ApplyOptions,
  ApplyResult,
  SnapshotOptions,
  Snapshots,
  ToolFolder,
} from '../ports/snapshots.ts';
import { reverse } from '../workspace/tree-row.ts';
import { createMembers, type Members } from './members.ts';

/** Separates the states of the folders in a joined state. */
const SEPARATOR = '.';

/** The states of all folders in a joined state, that of the workspace first. */
export function splitState(state: TreeId): TreeId[] {
  return state.split(SEPARATOR);
}

/**
 * The states of a workspace and of other folders as one. Paths in the other folders are absolute. A step over several
 * folders is one step for each folder: if one fails, the others are reverted. After a crash between two of them, the
 * same request completes the step.
 *
 * @param others In an order that never changes for a session. None contains another.
 */
export function joinSnapshots(own: Snapshots, others: readonly { root: string; snapshots: Snapshots }[]): Snapshots {
  if (others.length === 0) return own;
  const all = [own, ...others.map(({ snapshots }) => snapshots)];
  return new JoinedSnapshots(all, createMembers(others.map(({ root }) => root)));
}

/** Applies the rows of one member. */
type Perform = (snapshots: Snapshots, rows: TreeChange[], options: ApplyOptions) => Promise<ApplyResult>;

class JoinedSnapshots implements Snapshots {
  readonly #all: readonly Snapshots[];
  readonly #members: Members;

  constructor(all: readonly Snapshots[], members: Members) {
    this.#all = all;
    this.#members = members;
  }

  #split(state: TreeId): TreeId[] {
    if (state === EMPTY_STATE) return this.#all.map(() => EMPTY_STATE);
    const ids = splitState(state);
    if (ids.length === this.#all.length) return ids;
    throw new KlausError('usage', `The state ${state.slice(0, 12)} is not one of the session's folders.`);
  }

  #name(index: number, path: string): string {
    return this.#members.name({ index, path });
  }

  /** The rows of one member with the paths of the session. */
  #named<T extends { path: string }>(index: number, rows: readonly T[]): T[] {
    return rows.map((row) => ({ ...row, path: this.#name(index, row.path) }));
  }

  /** Joins the rows of all members for their parts of a state. */
  #each<T extends { path: string }>(state: TreeId, ask: (snapshots: Snapshots, id: TreeId) => readonly T[]): T[] {
    const ids = this.#split(state);
    return this.#all.flatMap((snapshots, index) =>
      ids[index] === EMPTY_STATE ? [] : this.#named(index, ask(snapshots, ids[index]!)),
    );
  }

  async snapshot({ only, folder, beside = [], ...rest }: SnapshotOptions = {}): Promise<TreeId> {
    const ids: TreeId[] = [];
    const bases = only && this.#split(only.base);
    const paths = only?.paths.map((path) => this.#members.place(path));
    for (const [index, snapshots] of this.#all.entries()) {
      // The root includes the roots of the other folders.
      const isComplete = only?.paths.includes('') === true;
      const own = isComplete ? [''] : paths?.flatMap((at) => (at?.index === index ? [at.path] : []));
      if (bases && own!.length === 0) {
        ids.push(bases[index]!);
        continue;
      }
      const part = bases ? { only: { base: bases[index]!, paths: own! } } : {};
      const root = this.#name(index, '');
      const at = index === 0 ? folder : beside.find(({ path }) => path === root)?.folder;
      ids.push(await snapshots.snapshot({ ...rest, ...part, folder: at }));
    }
    return ids.join(SEPARATOR);
  }

  async snapshotGit(tree: TreeId): Promise<TreeId | undefined> {
    const ids = this.#split(tree);
    const found: (TreeId | undefined)[] = [];
    for (const [index, snapshots] of this.#all.entries()) found.push(await snapshots.snapshotGit(ids[index]!));
    if (found.every((id) => id === undefined)) return undefined;
    return found.map((id) => id ?? EMPTY_STATE).join(SEPARATOR);
  }

  hasGitObject(gitFolder: string, id: string): boolean {
    const at = this.#members.place(gitFolder);
    return at !== undefined && this.#all[at.index]!.hasGitObject(at.path, id);
  }

  isSameIndex(a: TreeEntry, b: TreeEntry): Promise<boolean> {
    return this.#any((snapshots) => snapshots.isSameIndex(a, b));
  }

  compareIndexes(...given: Parameters<Snapshots['compareIndexes']>): ReturnType<Snapshots['compareIndexes']> {
    return this.#any((snapshots) => snapshots.compareIndexes(...given));
  }

  repairIndex(...given: Parameters<Snapshots['repairIndex']>): Promise<TreeEntry | undefined> {
    return this.#any((snapshots) => snapshots.repairIndex(...given));
  }

  gitlinks(index: TreeEntry): Promise<string[] | undefined> {
    return this.#any((snapshots) => snapshots.gitlinks(index));
  }

  has(tree: TreeId): boolean {
    const ids = splitState(tree);
    return ids.length === this.#all.length && ids.every((id, index) => id === EMPTY_STATE || this.#all[index]!.has(id));
  }

  uncovered(tree: TreeId): { path: string; why: string }[] {
    return this.#each(tree, (snapshots, id) => snapshots.uncovered(id));
  }

  git(tree: TreeId): ReturnType<Snapshots['git']> {
    return this.#each(tree, (snapshots, id) => snapshots.git(id));
  }

  async changes(from: TreeId, to: TreeId): Promise<TreeChange[]> {
    const [before, after] = [this.#split(from), this.#split(to)];
    const rows: TreeChange[] = [];
    for (const [index, snapshots] of this.#all.entries())
      rows.push(...this.#named(index, await snapshots.changes(before[index]!, after[index]!)));
    return rows;
  }

  async entry(tree: TreeId, path: string): Promise<TreeEntry | undefined> {
    if (this.#members.isAbove(path)) return { type: 'directory', hash: EMPTY_STATE, size: 0, mode: 0o755 };
    const at = this.#members.place(path);
    return at && this.#all[at.index]!.entry(this.#split(tree)[at.index]!, at.path);
  }

  async links(tree: TreeId): Promise<{ path: string; entry: TreeEntry }[]> {
    const ids = this.#split(tree);
    const found: { path: string; entry: TreeEntry }[] = [];
    for (const [index, snapshots] of this.#all.entries())
      found.push(...this.#named(index, await snapshots.links(ids[index]!)));
    return found;
  }

  async edit(base: TreeId, rows: readonly TreeChange[]): Promise<TreeId> {
    const ids = this.#split(base);
    const placed = rows.map((row) => ({ row, at: this.#members.place(row.path) }));
    const edited: TreeId[] = [];
    for (const [index, snapshots] of this.#all.entries()) {
      const own = placed.flatMap(({ row, at }) => (at?.index === index ? [{ ...row, path: at.path }] : []));
      edited.push(own.length === 0 ? ids[index]! : await snapshots.edit(ids[index]!, own));
    }
    return edited.join(SEPARATOR);
  }

  async changeTimes(paths: readonly string[]): Promise<ReadonlyMap<string, number | undefined>> {
    const times = new Map<string, number | undefined>();
    const placed = paths.map((path) => ({ path, at: this.#members.place(path) }));
    for (const [index, snapshots] of this.#all.entries()) {
      const own = placed.filter(({ at }) => at?.index === index);
      const found = await snapshots.changeTimes(own.map(({ at }) => at!.path));
      for (const { path, at } of own) times.set(path, found.get(at!.path));
    }
    return times;
  }

  isStored(entry: TreeEntry, path?: string): boolean {
    const at = path === undefined ? undefined : this.#members.place(path);
    return (at ? [this.#all[at.index]!] : this.#all).some((snapshots) => snapshots.isStored(entry));
  }

  toolFolders(): ToolFolder[] {
    return this.#all.flatMap((snapshots, index) => this.#named(index, snapshots.toolFolders()));
  }

  content(entry: TreeEntry): Promise<Uint8Array> {
    return this.#any((snapshots) => snapshots.content(entry));
  }

  /** Stores the content in all folders, because its path is not known yet. */
  async put(content: Uint8Array, entry: Pick<TreeEntry, 'type' | 'mode'>): Promise<TreeEntry> {
    const [first] = await Promise.all(this.#all.map((snapshots) => snapshots.put(content, entry)));
    return first!;
  }

  async apply(changes: readonly TreeChange[], options: ApplyOptions = {}): Promise<ApplyResult> {
    // A member without rows returns its present state.
    return this.#apply(changes, options, (snapshots, rows, own) => snapshots.apply(rows, own));
  }

  async applyGit(changes: readonly TreeChange[], options: ApplyGitOptions = {}): Promise<ApplyResult> {
    const repositories = this.#all.map((_, index) =>
      (options.repositories ?? []).flatMap((one) => {
        const at = this.#members.place(one.path);
        return at?.index === index ? [{ ...one, path: at.path }] : [];
      }),
    );
    const result = await this.#apply(changes, options, async (snapshots, rows, own) =>
      rows.length > 0
        ? snapshots.applyGit(rows, { ...own, repositories: repositories[this.#all.indexOf(snapshots)]! })
        : { applied: true, changes: [], before: EMPTY_STATE, after: EMPTY_STATE },
    );
    // Objects that a later member has set aside can belong to a repository of an earlier one.
    for (const [index, snapshots] of this.#all.entries())
      if (result.applied && repositories[index]!.length > 0)
        await snapshots.applyGit([], { repositories: repositories[index]! });
    return result;
  }

  async #apply(
    changes: readonly TreeChange[],
    { overwrite = new Set() }: ApplyOptions,
    perform: Perform,
  ): Promise<ApplyResult> {
    const placed = changes.map((row) => ({ row, at: this.#members.place(row.path) }));
    const lost = placed.find(({ at }) => at === undefined);
    if (lost) throw new KlausError('usage', `${lost.row.path} is in no folder of the session.`);
    const done: Extract<ApplyResult, { applied: true }>[] = [];
    for (const [index, snapshots] of this.#all.entries()) {
      const rows = placed.flatMap(({ row, at }) => (at!.index === index ? [{ ...row, path: at!.path }] : []));
      const own = [...overwrite].flatMap((path) => {
        const at = this.#members.place(path);
        return at?.index === index ? [at.path] : [];
      });
      try {
        const result = await perform(snapshots, rows, { overwrite: new Set(own) });
        if (result.applied) {
          done.push(result);
          continue;
        }
        await this.#revert(done, perform);
        return { applied: false, conflicts: this.#named(index, result.conflicts) };
      } catch (error) {
        await this.#revert(done, perform);
        throw error;
      }
    }
    const named = done.flatMap((result, index) => this.#named(index, result.changes));
    const [before, after] = [done.map((one) => one.before), done.map((one) => one.after)];
    return { applied: true, changes: named, before: before.join(SEPARATOR), after: after.join(SEPARATOR) };
  }

  /** Restores the members that were changed, in reverse order. */
  async #revert(done: readonly Extract<ApplyResult, { applied: true }>[], perform: Perform): Promise<void> {
    for (const [index, { changes }] of [...done.entries()].toReversed()) {
      if (changes.length === 0) continue;
      const result = await perform(this.#all[index]!, changes.map(reverse), { overwrite: new Set() });
      if (result.applied) continue;
      const names = result.conflicts.map(({ path }) => this.#name(index, path)).join(', ');
      throw new KlausError('workspace.conflict', `${names} changed while a step over several folders was reverted.`, {
        hint: 'Check these files: the other files of their folder were not reverted.',
      });
    }
  }

  /** The first member that has the content. */
  async #any<T>(ask: (snapshots: Snapshots) => Promise<T>): Promise<T> {
    let failure: unknown;
    for (const snapshots of this.#all) {
      try {
        return await ask(snapshots);
      } catch (error) {
        if (!isKlausError(error)) throw error;
        failure ??= error;
      }
    }
    throw failure;
  }
}
