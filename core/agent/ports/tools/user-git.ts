/** Git as the user has configured it on this machine. It runs without a sandbox, and uses no setting of a repository. */
export interface UserGit {
  /**
   * Settings of the user and of the machine, by their names in lower case. Empty without a configuration.
   *
   * @param folder Absolute path: what `includeIf` adds for it is included.
   */
  settings(folder: string): Promise<ReadonlyMap<string, string>>;
  /**
   * Signs a commit with the program and the key of these settings. Absent: the user has not allowed it.
   *
   * @param payload The commit object without a signature.
   * @param folder As for `settings`.
   * @returns The signature, as the header `gpgsig` holds it.
   * @throws KlausError `tool.failed` with the reason of the program.
   */
  sign?(payload: string, folder: string): Promise<string>;
}
