/**
 * Text of files as the user's editor has it, for the file tools. Files on disk remain the only truth: hashes, snapshots
 * and the gate never see a buffer.
 */
export interface EditorBuffers {
  /**
   * The text of a file with unsaved changes. Undefined if the editor has none, or does not answer.
   *
   * @param path Absolute.
   */
  read(path: string): Promise<string | undefined>;
  /** Called after a file was written, so that the editor shows the new text. Never throws. @param path Absolute. */
  written(path: string, text: string): Promise<void>;
}
