import type { Snapshots } from '@klaus/core/agent';
import type { TreeId } from '@klaus/core/protocol';
import type { GitState } from './git/git-state.ts';
import type { GcOptions, GcReport } from './objects/gc.ts';
import type { SnapshotLimits } from './room.ts';
import type { Cover } from './scan/coverage.ts';

export interface SnapshotsOptions {
  /** Folder with the snapshots of all workspaces, for the user only. */
  stateDir: string;
  /** Klaus's own state, which is left out if it lies in the workspace. `stateDir` is always left out. */
  klausHome?: string;
  /**
   * True for the absolute path of a sandbox's placeholder: an empty folder, or a file. Snapshots leave it out.
   * Default: none.
   */
  isPlaceholder?: (path: string) => boolean;
  /** Limits for large files. Default: only that some space of the disk stays free. */
  limits?: SnapshotLimits;
  /** `sources`: the content of folders that a tool marks as its own is not stored. Default `all`. */
  cover?: Cover;
}

/**
 * Snapshots of a folder on this machine.
 *
 * Stored: content, permission bits, symlinks, empty folders and ignored files. Not stored: owners, times, extended
 * attributes, the mode of the workspace folder itself, and hard links, which are restored as separate files. Also not
 * stored, and listed by {@link uncovered}: sockets and devices, unreadable files, repositories below a name that is not
 * UTF-8, and other filesystems. A byte of a name that is not UTF-8 is spelled `\xff` in paths. The state of repositories
 * is shown by {@link git} and never restored.
 *
 * Size, times, inode and mode identify an unchanged file. Writes through a memory mapping are noticed when the system
 * updates the file's times, which may be seconds later.
 *
 * In conflicts, a path that a snapshot cannot contain is shown as a file with an empty hash. Deleting a folder with
 * content that no row lists is a conflict; if the folder is in `overwrite`, it is kept with that content.
 */
export interface LocalSnapshots extends Snapshots, Disposable {
  git(tree: TreeId): GitState[];
  /** Relative paths of the `.git` entries that the last scan of this process found. */
  readonly repositories: readonly string[];
  /** Removes data that no stored state needs. @throws KlausError `store.busy`. */
  gc(options: GcOptions): Promise<GcReport>;
  /** The objects of the repositories of a state of git's own data, which that state leaves out. Durable when it resolves. */
  snapshotGitContents(git: TreeId): Promise<TreeId>;
  /** A state as packs for another machine, see {@link packState}. */
  pack(tree: TreeId, since?: TreeId): AsyncIterable<Uint8Array>;
  /** Stores a state of another machine, see {@link unpackState}. */
  unpack(packs: AsyncIterable<Uint8Array>, tree: TreeId): Promise<void>;
  /** Stores a state without the folders of tools, and the files, whose content is not stored. The same if there are none. */
  withoutUnstored(tree: TreeId): Promise<TreeId>;
  /** Writes a state into the empty workspace, see {@link checkOut}. */
  checkOut(tree: TreeId): Promise<void>;
  close(): void;
}
