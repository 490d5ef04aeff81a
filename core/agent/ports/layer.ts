/** A folder that is shown in the place of another. Both absolute. */
export interface MappedFolder {
  path: string;
  folder: string;
}

/** A place where one command may write freely without touching the user's files. */
export interface Layer {
  readonly kind: 'overlay' | 'copy';
  /** Absolute; shown to the command at the workspace's own path, see `ExecRequest.workspaceAt`. */
  readonly folder: string;
  /** The same for folders beside the workspace that the session may change, see `ExecRequest.besideAt`. */
  readonly beside?: readonly MappedFolder[];
  /**
   * Relative paths that may differ from the workspace: everything that was created, changed, removed or got
   * another mode, never less. A path stands for everything below it: a folder that is new, replaced or removed is
   * named once; '' is the whole workspace, for a name directly in it that is no Unicode. What is inside `.git` is
   * left out, and `git` says whether anything there changed.
   */
  touched(): Promise<{ paths: string[]; git: boolean }>;
  /** Gives everything back. Idempotent. */
  close(): Promise<void>;
}

export interface Layers {
  /** @throws KlausError `sandbox.unavailable` when there is no room for a copy. */
  open(options?: { kind?: 'overlay' | 'copy'; signal?: AbortSignal }): Promise<Layer>;
}
