import type { ExecLimits } from '@klaus/core/agent';

/** What every driver needs. */
export interface SandboxOptions {
  /** Absolute real path of the folder that commands work on. */
  workspace: string;
  /** Absolute path of Klaus's own state (`KLAUS_HOME`); commands see only the home of their session of it. */
  home: string;
  /** The user's environment: `PATH` and `HOME` are where toolchains are found. Default: that of this process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Names of the user's variables that reach commands, or beginnings that end in `*`. Default: none. */
  variables?: readonly string[];
  /**
   * Hosts that commands with a network reach, such as `pypi.org`, `*.example.com` or `localhost:4873`. A driver that
   * cannot limit it refuses. Default: every host.
   */
  hosts?: readonly string[];
  /** Whose home commands get. Absent: a new one for this object. */
  session?: string;
  /** Defaults for every command; a request's own limits win. */
  limits?: Partial<ExecLimits>;
  /** Absolute paths of files and folders to hide; asked for every command. Default: none. */
  masks?: () => Promise<readonly string[]>;
  /**
   * Absolute paths in the workspace that no command may change, beyond git's own configuration and `.klaus`, which
   * are always protected; asked for every command. Default: none.
   */
  protect?: () => Promise<readonly string[]>;
  /**
   * Absolute paths of the repositories of the workspace, each of what is named `.git`, as far as they are known.
   * Those that the driver does not find by itself are read-only; asked for every command. Default: none.
   */
  repositories?: () => Promise<readonly string[]>;
}
