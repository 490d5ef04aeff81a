export interface ProjectionOptions {
  /** Characters of a tool's output that `messages` and `tool_calls` hold; the log holds the complete output. */
  maxToolResultSize: number;
}
