import { z } from 'zod';

const at = {
  /** ISO 8601. */
  timestamp: z.string(),
};

export const logMessageSchema = z.object({
  type: z.literal('log'),
  message: z.string(),
  /** Default `info`. */
  level: z.enum(['info', 'warning', 'error']).optional(),
  /** Of an error: a code of `FAILURE_CODES`. */
  code: z.string().optional(),
  /** What the user can do. */
  hint: z.string().optional(),
  ...at,
});

export const serverStartedSchema = z.object({ type: z.literal('server_started'), url: z.string(), ...at });

export const turnMessageSchema = z.object({
  type: z.literal('turn'),
  /** From 1. */
  turnNumber: z.int().positive(),
  stopReason: z.string().optional(),
  ...at,
});

export const toolCallMessageSchema = z.object({
  type: z.literal('tool_call'),
  toolName: z.string(),
  input: z.record(z.string(), z.unknown()),
  ...at,
});

export const toolResultMessageSchema = z.object({
  type: z.literal('tool_result'),
  toolName: z.string(),
  /** At most 200 characters. */
  resultPreview: z.string(),
  isError: z.boolean().optional(),
  ...at,
});

/** The last message of a run. */
export const summaryMessageSchema = z.object({
  type: z.literal('summary'),
  turns: z.int().nonnegative(),
  /** US dollars. */
  cost: z.number().nonnegative(),
  /** `completed`, `cancelled`, `timeout`, `limit` or `error`. */
  finishReason: z.string().optional(),
  inputTokens: z.int().nonnegative().optional(),
  outputTokens: z.int().nonnegative().optional(),
  totalTokens: z.int().nonnegative().optional(),
  reasoningTokens: z.int().nonnegative().optional(),
  cachedInputTokens: z.int().nonnegative().optional(),
  toolCallsCount: z.int().nonnegative().optional(),
  warnings: z.array(z.string()).optional(),
  /** Id of the session of Klaus that holds the log. */
  session: z.string().optional(),
  ...at,
});

/** One line of JSON on the standard error of the CLI. */
export const statusMessageSchema = z.discriminatedUnion('type', [
  logMessageSchema,
  serverStartedSchema,
  turnMessageSchema,
  toolCallMessageSchema,
  toolResultMessageSchema,
  summaryMessageSchema,
]);

export type StatusMessage = z.infer<typeof statusMessageSchema>;
export type Summary = z.infer<typeof summaryMessageSchema>;
