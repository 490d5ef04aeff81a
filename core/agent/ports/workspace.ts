import type { TextEncoding } from '../../policy/index.ts';
import type { FileChange } from '../../protocol/index.ts';

/** A path that was verified to be inside the workspace. */
export interface ResolvedPath {
  /** Relative to the root with forward slashes; '' is the root. */
  relative: string;
  /** Absolute, every symlink resolved. */
  absolute: string;
  /** The symlinks that were followed, each relative to the root, in order. Absent without symlinks. */
  links?: readonly string[];
}

export interface FileState {
  kind: 'file' | 'directory' | 'other';
  /** Bytes. */
  size: number;
  /** Permission bits. */
  mode: number;
  /** Number of its names (hard links), if there are several. */
  links?: number;
}

/** The other names of a file (hard links). */
export interface OtherNames {
  /** In the folder, as `resolve` returns them. */
  names: string[];
  /** True if it has names outside of the folder. */
  isShared: boolean;
}

/** A file to write or delete. */
export interface FileEdit {
  /** Relative path. */
  path: string;
  /** New content; null deletes. */
  content: Uint8Array | null;
  /** The hash that the file must have; null: it must not exist. */
  before: string | null;
  /** Permission bits; default: those of the file, or 0644. */
  mode?: number;
  /** Of the content before and after, if it is known. */
  encoding?: TextEncoding;
  /** Other names of the file, which stay names of it. */
  links?: readonly string[];
}

export interface ReadOptions {
  maxBytes?: number;
  offset?: number;
  length?: number;
  /** Default false. */
  exact?: boolean;
}

/** The target of a path: inside the root, or the absolute path at which it leaves the root, without following it further. */
export type LocatedPath = { inside: ResolvedPath } | { outside: string };

/** A readable folder. No path can leave it, by `..`, a symlink, or a replacement between check and use. */
export interface Folder {
  /** Absolute real path. */
  readonly root: string;
  /** @throws KlausError `workspace.outside`, `tool.failed` for a null byte or an over-long name. */
  resolve(path: string): Promise<ResolvedPath>;
  /** As `resolve`, for callers that may follow the path into another folder. */
  locate(path: string): Promise<LocatedPath>;
  /** Undefined if the path does not exist. */
  stat(path: string): Promise<FileState | undefined>;
  /**
   * The content, or `length` bytes of it from `offset` on; fewer at the end of the file.
   *
   * @param options.exact The path was returned by `resolve`: no part of it may have become a symlink.
   * @throws KlausError `tool.failed` if it is missing, no regular file, or longer than `maxBytes`.
   */
  read(path: string, options?: ReadOptions): Promise<Uint8Array>;
}

export interface Workspace extends Folder {
  /** Lower-case SHA-256 of the content; null if there is no such file. */
  hash(path: string): Promise<string | null>;
  /** The other names of a file. A file with several is searched in the complete folder. */
  otherNames(path: string): Promise<OtherNames>;
  /**
   * Writes and deletes files in one step as far as the filesystem allows: all `before` hashes are checked first, each file
   * is replaced by rename after fsync, and the changes are reverted after a failure.
   *
   * @throws KlausError `workspace.conflict` naming the first file whose hash differs.
   */
  apply(edits: readonly FileEdit[]): Promise<FileChange[]>;
  /** The present time of the filesystem's clock. */
  mark(): Promise<string>;
  /**
   * Files that were created, modified or, if known, deleted since the mark, at most `limit` rows. `before` is always
   * null, because the old content is unknown.
   */
  changedSince(mark: string, options?: { limit?: number }): Promise<FileChange[]>;
}
