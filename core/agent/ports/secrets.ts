/** The secret files of a workspace and what they hold. Looked at anew at every call; cheap when nothing changed. */
export interface SecretSource {
  /** Absolute paths to hide from commands. */
  files(): Promise<string[]>;
  /** Values to take out of everything that goes to a model, with a name for each. */
  values(): Promise<readonly { name: string; value: string }[]>;
}
