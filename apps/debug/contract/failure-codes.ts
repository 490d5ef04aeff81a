/** Why an investigation has no report, with the exit code of the CLI for failures that it reports itself. */
export const FAILURE_CODES = {
  /** The input of the CLI, or an argument of a function, is invalid. */
  input: 2,
  /** No key of a provider is set, or the provider refuses it. */
  auth: 3,
  /** The settings are invalid, or the model is unknown. */
  config: 4,
  /** The MCP server of the program cannot be reached. */
  server: 5,
  /** The model failed. */
  model: 6,
  /** A limit was reached before there was a result. */
  limit: 7,
  /** The time-out passed. */
  timeout: 8,
  cancelled: 130,
  /** The agent ended without a valid result: only `implement`. */
  'no-result': 9,
  /** The agent reported that it cannot produce the result: only `implement`. */
  refused: 10,
  /** The CLI is older than the library. */
  'cli-outdated': 11,
  /** The CLI was not found. Only the library reports it. */
  'cli-missing': 12,
  /** No Node.js that the CLI can run with was found. */
  'node-missing': 13,
  /** The CLI ended without a summary: it was killed or it crashed. Only the library reports it. */
  'cli-died': 14,
  /** The schema cannot be converted to JSON Schema. Only the library reports it. */
  schema: 15,
  /** The program runs on a Node.js that is too old. Only the library reports it. */
  'node-outdated': 16,
} as const;

export type FailureCode = keyof typeof FAILURE_CODES;
