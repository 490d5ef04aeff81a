import type { TreeChange, TreeEntry, TreeId } from '../../protocol/index.ts';
import type { MappedFolder } from './layer.ts';

export interface SnapshotOptions {
  /**
   * Only these relative paths (and what is below them) are looked at; everything else is taken over from the
   * state `base`. For a turn whose changes are known.
   */
  only?: { base: TreeId; paths: readonly string[] };
  /** A folder that stands in for the workspace, such as the merged folder of a layer. Default: the workspace. */
  folder?: string;
  /** The same for folders beside it, where the states are those of several folders. */
  beside?: readonly MappedFolder[];
  /** Files looked at so far; called at most every few hundred files. */
  onProgress?: (files: number) => void;
  signal?: AbortSignal;
}

/** A path whose present state is not what a change would begin from. */
export interface Conflict {
  path: string;
  /** What the change begins from. */
  expected: TreeEntry | null;
  /** What is there. */
  found: TreeEntry | null;
}

export type ApplyResult =
  /** `before` is the state that was replaced: applying back to it undoes this. */
  | { applied: true; changes: TreeChange[]; before: TreeId; after: TreeId }
  /** Nothing was touched. */
  | { applied: false; conflicts: Conflict[] };

/** Where a repository stood beside a state. Shown, never restored. */
export interface GitPosition {
  /** The folder that holds it; '' is the workspace. */
  path: string;
  /** Such as `ref: refs/heads/main`. */
  head: string;
  /** Object id by the name of a ref. */
  refs: Readonly<Record<string, string>>;
}

/** The states that a workspace had. Private to the user, content-addressed, incremental. */
export interface Snapshots {
  /**
   * Takes in the workspace as it is: files, also ignored and large ones, modes, symlinks, empty folders.
   * What is inside `.git` folders is left out. Durable when it resolves.
   *
   * @throws KlausError `store.full`, `store.corrupt`, `cancelled`.
   */
  snapshot(options?: SnapshotOptions): Promise<TreeId>;
  /**
   * The state of git's own data in the repositories that the last look at `tree` found, at any depth: HEAD, refs,
   * reflogs, index, configuration, hooks, with paths such as `.git/HEAD`, and without objects. Durable when it
   * resolves.
   *
   * @returns Undefined without any repository.
   */
  snapshotGit(tree: TreeId): Promise<TreeId | undefined>;
  /**
   * True when a repository holds an object, also in a pack.
   *
   * @param gitFolder Relative path, such as `.git`.
   */
  hasGitObject(gitFolder: string, id: string): boolean;
  /** True when two entries are files that git reads as indexes with the same content: git rewrites times in them. */
  isSameIndex(a: TreeEntry, b: TreeEntry): Promise<boolean>;
  /** Paths of nested repositories that an index names; undefined for a file that is no whole index. */
  gitlinks(index: TreeEntry): Promise<string[] | undefined>;
  /** True when every object of the state is there. */
  has(tree: TreeId): boolean;
  /** What a state does not hold, such as sockets and what cannot be read; at most 1,000. */
  uncovered(tree: TreeId): readonly { path: string; why: string }[];
  /** Where the repositories stood when the state was taken in; empty without any. */
  git(tree: TreeId): readonly GitPosition[];
  /** What differs, sorted by path. @throws KlausError `usage` for a state that is not kept any more. */
  changes(from: TreeId, to: TreeId): Promise<TreeChange[]>;
  /** Undefined when nothing is at the path. */
  entry(tree: TreeId, path: string): Promise<TreeEntry | undefined>;
  /** All symlinks of a state. Fast again for a state that is like one before. */
  links(tree: TreeId): Promise<readonly { path: string; entry: TreeEntry }[]>;
  /** Content of a file, or the target of a symlink. @throws KlausError `store.corrupt` when it is gone or altered. */
  content(entry: TreeEntry): Promise<Uint8Array>;
  /** Takes in content that stands nowhere yet, such as a file with only some hunks of a change. */
  put(content: Uint8Array, entry: Pick<TreeEntry, 'type' | 'mode'>): Promise<TreeEntry>;
  /**
   * Makes `after` of every row stand at its path, as one step: all `before` entries are checked against what is
   * there first, and a kill in the middle is settled, forwards or backwards, by the next process that opens the workspace. What
   * stands there and is not `before` is a conflict and nothing is touched, unless `overwrite` names the path.
   * A row whose `after` is there already is done.
   */
  apply(changes: readonly TreeChange[], options?: { overwrite?: ReadonlySet<string> }): Promise<ApplyResult>;
  /**
   * The same for rows between two states of git's own data. A git folder that goes as a whole leaves with its objects,
   * and comes back with them.
   */
  applyGit(changes: readonly TreeChange[], options?: { overwrite?: ReadonlySet<string> }): Promise<ApplyResult>;
}
