/** A text of Git for a prompt. Secrets in it are not redacted yet. */
export interface GitText {
  /** Null if it is longer than the limit. */
  text: string | null;
  /** Characters of the complete text; a lower bound if Git printed more than 4 MiB. */
  size: number;
  /** Paths of the changed files, relative to the workspace. */
  files: string[];
  /** Paths of changed files whose content is not in the text, because it is hidden. */
  leftOut: string[];
}

export interface GitTextOptions {
  /** True for a path, relative to the workspace, whose content must not be in the text. */
  isHidden: (path: string) => boolean;
  /** Maximum characters of the text. */
  maxChars: number;
}
