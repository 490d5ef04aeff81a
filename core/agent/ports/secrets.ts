/** The secret files of a workspace and their values. Read again at every call; fast if nothing changed. */
export interface SecretSource {
  /** Absolute paths to hide from commands. */
  files(): Promise<string[]>;
  /** Values to redact, with a name for each. `history`: also earlier versions in Git, slow at first; default true. */
  values(options?: { history?: boolean }): Promise<readonly { name: string; value: string }[]>;
  /** The other names of a file. @param path Absolute, every symlink resolved. */
  identify(path: string): Promise<FileIdentity>;
  /** Absolute names of a file under which it is secret or hidden. @param path As for `identify`. */
  otherNames(path: string): Promise<string[]>;
}

/** The identity of a file beyond its path. */
export interface FileIdentity {
  /** True for a secret file according to one of its names, or for the target of a link with such a name. */
  isSecret: boolean;
  /** All names of the file (hard links) in the workspace, relative to it; empty if it has one name. */
  names: readonly string[];
  /** True if it has other names outside the workspace. */
  isShared: boolean;
}
