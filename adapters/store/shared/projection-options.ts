export interface ProjectionOptions {
  /** Characters of a tool's output that `messages` and `tool_calls` hold; the log holds the complete output. */
  maxToolResultSize: number;
}

/** Default of `maxToolResultSize`. */
export const DEFAULT_RESULT_SIZE = 10_240;
