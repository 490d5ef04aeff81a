/** A regular file of text on the machine. */
export interface HostFile {
  /** Absolute real path. */
  path: string;
  text: string;
  /** Unix milliseconds of the last change of its content, name or mode: no program can set it back. */
  changedAt: number;
}

/** Files of the machine that a command without a sandbox can run. It never waits for a pipe or a device. */
export interface HostFiles {
  /** The home folder of the user, absolute. */
  readonly userHome: string;
  /** Start of the time in which a change counts as one of the session. Default: when the session was opened. */
  readonly since?: number;
  /** Absolute paths of files that the session wrote, in addition to those that changed since. Default: none. */
  readonly wrote?: ReadonlySet<string>;
  /** True for the guard of another agent, which may read from other machines. Default false. */
  readonly readsRemote?: boolean;
  /** Undefined if it is missing, no regular file, no text, or longer than 256 KiB. @param path Absolute. */
  read(path: string): HostFile | undefined;
  exists(path: string): boolean;
  /** The path with resolved links, as far as it exists. */
  toReal(path: string): string;
  /** Unix milliseconds of the last change; 0 for what does not exist. */
  changedAt(path: string): number;
  /** Absolute paths of what the session fetched from elsewhere. Default: none. */
  readonly fetched?: ReadonlySet<string>;
  /** Files of code below a folder that changed since, without those of packages: at most 200, of 20,000 entries. */
  listChanged(folder: string, since: number): HostFile[];
  /** True for an image that the Docker daemon of this machine has. */
  hasImage(name: string): Promise<boolean>;
}
