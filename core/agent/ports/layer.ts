/** A folder that commands see at the path of another one. Both are absolute. */
export interface MappedFolder {
  path: string;
  folder: string;
}

/** A place where one command can write without changing the user's files. */
export interface Layer {
  readonly kind: 'overlay' | 'copy';
  /** Absolute; shown to the command at the workspace's own path, see `ExecRequest.workspaceAt`. */
  readonly folder: string;
  /** The same for other writable folders of the session, see `ExecRequest.besideAt`. */
  readonly beside?: readonly MappedFolder[];
  /**
   * Relative paths that may differ from the workspace: at least all that were created, changed, removed or got another
   * mode. A path includes all paths below it: a folder that is new, replaced or removed is named once; '' is the
   * workspace, for a name directly in it that is not Unicode. Paths inside `.git` are left out; `git` is true if one of
   * them changed.
   */
  touched(): Promise<{ paths: string[]; git: boolean }>;
  /** Removes the layer. Idempotent. */
  close(): Promise<void>;
}

export interface Layers {
  /** @throws KlausError `sandbox.unavailable` if there is no space for a copy. */
  open(options?: { kind?: 'overlay' | 'copy'; signal?: AbortSignal }): Promise<Layer>;
}
