/** The content of a file that the model knows. */
export interface LastShown {
  /** Lower-case SHA-256. */
  hash: string;
  /** True if the model was shown a part of it only. */
  part?: true;
  /** Seq of the result that shows it. Absent: calls have changed the file since. */
  seq?: number;
}
