/** What the gate knows about the machine, for a command that runs without a sandbox. */
export interface HostFacts {
  /** Absolute. */
  workspace: string;
  /** The home folder of the user, absolute. */
  userHome: string;
  /** Folders of Klaus's own state, absolute. */
  state: readonly string[];
  /** True for a path that exists. @param path Absolute. */
  exists(path: string): boolean;
  /** The path with resolved links, as far as it exists. @param path Absolute. */
  toReal(path: string): string;
  /** True for a file that changed since the session began. @param path Absolute. */
  isNew(path: string): boolean;
  /** The text of a file; undefined for others than short texts. @param path Absolute. */
  read(path: string): string | undefined;
  /** Files and folders that commands of the session fetched from elsewhere, absolute. */
  fetched: ReadonlySet<string>;
  /** Texts of the files that the command runs, directly or through others, by absolute path. */
  files: ReadonlyMap<string, string>;
  /** The paths of those that the session wrote. */
  written: ReadonlySet<string>;
  /** Texts of further files of code that the session wrote, by absolute path: a test runner loads them. */
  code: ReadonlyMap<string, string>;
  /** Scripts of package files that the command runs. */
  scripts: readonly HostScript[];
  /** True if reading from other machines is no effect: for another agent, which fetches pages as well. Default false. */
  readsRemote?: boolean;
  /** Programs that are installed in the workspace, and images that are on this machine, among those of the command. */
  local: ReadonlySet<string>;
}

/** A script of a package file. */
export interface HostScript {
  line: string;
  /** Absolute. */
  cwd: string;
  /** As in `npm run build`. */
  name: string;
  /** True if the session wrote the package file. */
  isWritten: boolean;
}
