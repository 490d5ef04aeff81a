/** The secret files of a workspace and what they hold. Looked at anew at every call; cheap when nothing changed. */
export interface SecretSource {
  /** Absolute paths to hide from commands. */
  files(): Promise<string[]>;
  /**
   * Values to take out of everything that goes to a model, with a name for each.
   *
   * @param options.history Whether earlier versions in Git are read, which takes a while the first time. Default true.
   */
  values(options?: { history?: boolean }): Promise<readonly { name: string; value: string }[]>;
  /** What else a file is. */
  identify(path: string): Promise<FileIdentity>;
  /** Other names, absolute, of a file that is secret or hidden by one of them. */
  otherNames(path: string): Promise<string[]>;
}

/** What a file is beside the path by which it was found. */
export interface FileIdentity {
  /** A secret file by one of its names, or what a link with such a name leads to. */
  isSecret: boolean;
  /** Every name of the same file (hard links) in the workspace, relative to it; empty where it has one name. */
  names: readonly string[];
  /** True when further names are outside of the workspace. */
  isShared: boolean;
}
