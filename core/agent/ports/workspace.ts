import type { FileChange } from '../../protocol/index.ts';

/** A path proven to be inside the workspace. */
export interface ResolvedPath {
  /** Relative to the root with forward slashes; '' is the root. */
  relative: string;
  /** Absolute, every symlink resolved. */
  absolute: string;
  /** The symlinks that were followed, each relative to the root, in order. Absent where there was none. */
  links?: readonly string[];
}

export interface FileState {
  kind: 'file' | 'directory' | 'other';
  /** Bytes. */
  size: number;
  /** Permission bits. */
  mode: number;
}

/** A file to write or delete. */
export interface FileEdit {
  /** Relative path. */
  path: string;
  /** New content; null deletes. */
  content: Uint8Array | null;
  /** Hash the file must have now; null: it must not exist. */
  before: string | null;
  /** Permission bits; default: those of the file, or 0644. */
  mode?: number;
}

export interface ReadOptions {
  maxBytes?: number;
  offset?: number;
  length?: number;
  /** Default false. */
  exact?: boolean;
}

/** Where a path leads: to a place inside, or to the absolute path, not followed further, at which it leaves the root. */
export type LocatedPath = { inside: ResolvedPath } | { outside: string };

/**
 * A folder that can be read. No path given to it leaves the root, neither by `..` nor by a symlink nor by a swap
 * between check and use.
 */
export interface Folder {
  /** Absolute real path. */
  readonly root: string;
  /** @throws KlausError `workspace.outside`, `tool.failed` for a null byte or an over-long name. */
  resolve(path: string): Promise<ResolvedPath>;
  /** As `resolve`, for whoever may follow the path into another folder. */
  locate(path: string): Promise<LocatedPath>;
  /** Undefined when nothing is there. */
  stat(path: string): Promise<FileState | undefined>;
  /**
   * The content, or `length` bytes of it from `offset` on; fewer where the file ends.
   *
   * @param options.exact The path is one that `resolve` gave: no part of it may have become a symlink.
   * @throws KlausError `tool.failed` when it is missing, no regular file, or what is read is longer than
   *   `maxBytes`.
   */
  read(path: string, options?: ReadOptions): Promise<Uint8Array>;
}

/** The folder an agent works in. */
export interface Workspace extends Folder {
  /** Lower-case SHA-256 of the content; null when there is no such file. */
  hash(path: string): Promise<string | null>;
  /**
   * Writes and deletes as one step as far as the filesystem allows: all `before` hashes are checked first,
   * each file is replaced by rename after fsync, and a failure in the middle takes back what was done.
   *
   * @throws KlausError `workspace.conflict` naming the first file whose hash differs.
   */
  apply(edits: readonly FileEdit[]): Promise<FileChange[]>;
  /** This moment on the filesystem's own clock. */
  mark(): Promise<string>;
  /**
   * What was created, modified or, as far as can be known, deleted since the mark, at most `limit` rows.
   * `before` is null throughout: the old content is not known.
   */
  changedSince(mark: string, options?: { limit?: number }): Promise<FileChange[]>;
}
