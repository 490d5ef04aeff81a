import type { TreeChange, TreeEntry, TreeId } from '../../protocol/index.ts';
import type { MappedFolder } from './layer.ts';

export interface SnapshotOptions {
  /** Reads only these relative paths and those below them; the others are copied from the state `base`. */
  only?: { base: TreeId; paths: readonly string[] };
  /** The folder to read in place of the workspace, such as the merged folder of a layer. Default: the workspace. */
  folder?: string;
  /** The same for the other folders, if states consist of several folders. */
  beside?: readonly MappedFolder[];
  /** Number of files so far; called at most every few hundred files. */
  onProgress?: (files: number) => void;
  signal?: AbortSignal;
}

/** A path whose present entry is not the one before the change. */
export interface Conflict {
  path: string;
  /** The entry before the change. */
  expected: TreeEntry | null;
  /** The present entry. */
  found: TreeEntry | null;
}

export type ApplyResult =
  /** `before` is the replaced state: applying it undoes the change. */
  | { applied: true; changes: TreeChange[]; before: TreeId; after: TreeId }
  /** Nothing was changed. */
  | { applied: false; conflicts: Conflict[] };

/** HEAD and refs of a repository at the time of a state. For display only; not restored. */
export interface GitPosition {
  /** The folder of the repository; '' is the workspace. */
  path: string;
  /** Such as `ref: refs/heads/main`. */
  head: string;
  /** Object id by the name of a ref. */
  refs: Readonly<Record<string, string>>;
  /** Identifies the folder of objects, also after it was renamed; undefined without one, and in older states. */
  store?: string;
}

export interface ApplyOptions {
  /** Paths that are changed also if they differ from `before`. */
  overwrite?: ReadonlySet<string>;
}

export interface ApplyGitOptions extends ApplyOptions {
  /** Repositories of the state that the changes restore. Their objects are moved back from where they are now. */
  repositories?: readonly GitPosition[];
}

/** An entry of a Git index; a path with a conflict has several. */
export interface IndexEntry {
  path: string;
  /** In octal, such as `100644`. */
  mode: string;
  /** Object id. */
  blob: string;
  /** 0 without a conflict. */
  stage: number;
  /** True with a flag by which Git does not compare the file: `assume-unchanged` or `skip-worktree`. */
  isHidden: boolean;
}

/** An entry that another index does not have, with the one that it replaced. */
export interface IndexChange extends IndexEntry {
  before?: IndexEntry;
}

/** How an index differs from a former one. */
export interface IndexDifference {
  /** The entries that the former one does not have with the same content and flags. */
  changes: IndexChange[];
  /** True if the trees that the index caches are not those of its entries: the next commit would contain them. */
  isForged: boolean;
}

/** A path that a state does not contain. */
export interface Uncovered {
  path: string;
  /** Such as `unreadable`; `over the limit` for a large file for which there is no room. */
  why: string;
}

/**
 * A folder that a tool has marked as its own, such as `node_modules` or `target`. States list its files, and may not have
 * their content.
 */
export interface ToolFolder {
  path: string;
  /** False: it was seen without the marker since, and its content is stored. Earlier states may lack it. */
  isActive: boolean;
}

/** The snapshots of a workspace. Private to the user, content-addressed, incremental. */
export interface Snapshots {
  /**
   * Stores the present workspace: files, including ignored and large ones, modes, symlinks, empty folders. The content
   * of `.git` folders is left out, and, depending on the settings, that of files in folders of tools: see
   * {@link isStored}. Durable when it resolves.
   *
   * @throws KlausError `store.full`, `store.corrupt`, `cancelled`.
   */
  snapshot(options?: SnapshotOptions): Promise<TreeId>;
  /**
   * The state of git's own data in the repositories that the last snapshot `tree` found, at any depth: HEAD, refs,
   * reflogs, index, configuration, hooks, with paths such as `.git/HEAD`, and without objects. Durable when it resolves.
   *
   * @returns Undefined without a repository.
   */
  snapshotGit(tree: TreeId): Promise<TreeId | undefined>;
  /** True if a repository contains an object, also in a pack. @param gitFolder Relative path, such as `.git`. */
  hasGitObject(gitFolder: string, id: string): boolean;
  /** True if two index files have the same entries: git updates times in them. */
  isSameIndex(a: TreeEntry, b: TreeEntry): Promise<boolean>;
  /**
   * Compares an index with a former one. Undefined for a file of which not all entries can be read: a split or sparse
   * index, or one with SHA-256 names.
   */
  compareIndexes(before: TreeEntry | null, after: TreeEntry): Promise<IndexDifference | undefined>;
  /**
   * Stores an index with some entries as in a former one, or without them, with some flags cleared, and without the trees
   * that it caches. Undefined for a file of which not all entries can be read.
   */
  repairIndex(
    index: { before: TreeEntry | null; after: TreeEntry },
    edits: { restored: ReadonlySet<string>; unflagged: ReadonlySet<string> },
  ): Promise<TreeEntry | undefined>;
  /** Paths of nested repositories that an index names; undefined for a file that is no valid index. */
  gitlinks(index: TreeEntry): Promise<string[] | undefined>;
  /** True if the state exists, with all content that was stored for it. */
  has(tree: TreeId): boolean;
  /** Paths that a state does not contain, such as sockets and unreadable files; at most 1,000. */
  uncovered(tree: TreeId): readonly Uncovered[];
  /** The repositories at the time of the state; empty without any. */
  git(tree: TreeId): readonly GitPosition[];
  /** The differences, sorted by path. @throws KlausError `usage` for a state that is no longer stored. */
  changes(from: TreeId, to: TreeId): Promise<TreeChange[]>;
  /** Undefined if there is no entry. */
  entry(tree: TreeId, path: string): Promise<TreeEntry | undefined>;
  /** All symlinks of a state. Fast for a state that resembles an earlier one. */
  links(tree: TreeId): Promise<readonly { path: string; entry: TreeEntry }[]>;
  /**
   * True if the content of an entry is stored, and for a folder. Not every state has the content of files in folders of
   * tools, and a state from another machine has only what was stored there.
   *
   * @param path Where it would be restored. Default: in any folder of the session.
   */
  isStored(entry: TreeEntry, path?: string): boolean;
  /** The folders of tools that were found in the workspace, also earlier ones. */
  toolFolders(): readonly ToolFolder[];
  /**
   * Content of a file, or the target of a symlink, that {@link isStored}.
   *
   * @throws KlausError `store.corrupt` if it is missing or was changed.
   */
  content(entry: TreeEntry): Promise<Uint8Array>;
  /** Stores a state with the entry `after` of each row at its path. Their contents may be stored or not. */
  edit(base: TreeId, rows: readonly TreeChange[]): Promise<TreeId>;
  /**
   * When paths were changed last: Unix milliseconds, by the clock of the file system. For a missing path, when the entries
   * of the nearest existing folder above it changed last. Undefined if the file system may have a clock of its own.
   */
  changeTimes(paths: readonly string[]): Promise<ReadonlyMap<string, number | undefined>>;
  /** Stores content that is not in the workspace, such as a file with only some hunks of a change. */
  put(content: Uint8Array, entry: Pick<TreeEntry, 'type' | 'mode'>): Promise<TreeEntry>;
  /**
   * Writes `after` of every row to its path, in one step. First, all `before` entries are compared with the present ones:
   * a difference is a conflict and nothing is changed, unless `overwrite` names the path. A row whose `after` is already
   * present is done. After a crash, the next process that opens the workspace completes or reverts the step.
   */
  apply(changes: readonly TreeChange[], options?: ApplyOptions): Promise<ApplyResult>;
  /**
   * The same for git's own data. A git folder is restored with its objects, wherever they are now: in a repository that
   * the step removes, in another one, or in what an earlier step removed. No object is deleted.
   */
  applyGit(changes: readonly TreeChange[], options?: ApplyGitOptions): Promise<ApplyResult>;
}
