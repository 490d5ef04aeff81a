/** A file that differs between the beginning of a run and its end. */
export interface ChangedFile {
  /** Relative to the workspace. */
  path: string;
  /** Text; null if it did not exist or was not text. */
  before: string | null;
  after: string | null;
  /** It was not a file before, or is not one now. */
  isCreated: boolean;
  isDeleted: boolean;
}
