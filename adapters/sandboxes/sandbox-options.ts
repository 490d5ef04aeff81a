import type { ExecLimits } from '@klaus/core/agent';

export interface SandboxOptions {
  /** Absolute real path of the folder that commands work on. */
  workspace: string;
  /** Absolute path of Klaus's own state (`KLAUS_HOME`). Commands see only the home of their session. */
  home: string;
  /** The user's environment; toolchains are found through `PATH` and `HOME`. Default: that of this process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Names of the user's variables that commands get, or prefixes that end in `*`. Default: none. */
  variables?: readonly string[];
  /**
   * Hosts that commands with a network can reach, such as `pypi.org`, `*.example.com` or `localhost:4873`. A driver that
   * cannot limit the network rejects the command. Default: every host.
   */
  hosts?: readonly string[];
  /** The session whose home commands get. Default: a new home for this sandbox. */
  session?: string;
  /** Default limits. The limits of a request override them. */
  limits?: Partial<ExecLimits>;
  /** Absolute paths of files and folders to hide. Called for every command. Default: none. */
  masks?: () => Promise<readonly string[]>;
  /**
   * Absolute paths in the workspace that no command may change, in addition to git's configuration and `.klaus`, which
   * are always protected. Called for every command. Default: none.
   */
  protect?: () => Promise<readonly string[]>;
  /** Absolute paths of object stores of git that the workspace shares with another repository. They are read-only. */
  objects?: readonly string[];
  /**
   * Absolute paths of the known `.git` entries in the workspace. Those that the driver does not find itself are
   * read-only. Called for every command. Default: none.
   */
  repositories?: () => Promise<readonly string[]>;
}
