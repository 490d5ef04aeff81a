import { z } from 'zod';
import { contextEntrySchema } from './context-entry.ts';
import { stackFrameSchema } from './stack-frame.ts';

/** Raised when a program can no longer understand the other one. Absent in an input: 0, the original contract. */
export const PROTOCOL_VERSION = 1;

/**
 * Variable that names a folder, such as `klendathu-test-<timestamp>` in the temporary folder of the system. A test runner
 * sets it, and the CLI writes the transcript of its session there, as `ID.md`. Absent: no transcript.
 */
export const TRANSCRIPTS_VARIABLE = 'KLENDATHU_TRANSCRIPTS';

/** An error without live references. */
export interface ErrorSummary {
  name: string;
  message: string;
  /** As the runtime prints it, without secrets. */
  stack?: string | undefined;
  code?: string | undefined;
  cause?: ErrorSummary | undefined;
}

export const errorSummarySchema: z.ZodType<ErrorSummary> = z.object({
  name: z.string(),
  message: z.string(),
  stack: z.string().optional(),
  code: z.string().optional(),
  get cause() {
    return errorSummarySchema.optional();
  },
});

/** What an investigation may cost. Absent: no limit of this kind except those of the settings. */
export const budgetSchema = z.object({
  usd: z.number().positive().optional(),
  tokens: z.int().positive().optional(),
  turns: z.int().positive().optional(),
  /** Calls of `eval`. */
  evals: z.int().nonnegative().optional(),
});

export type Budget = z.infer<typeof budgetSchema>;

/** `read`: nothing in the program changes. `full`: the code may have effects. */
export const accessSchema = z.enum(['read', 'full']);
export type Access = z.infer<typeof accessSchema>;

const baseInput = {
  /** Address of the MCP server of the program. */
  mcpUrl: z.string(),
  callStack: z.array(stackFrameSchema),
  context: z.array(contextEntrySchema),
  /** ISO 8601. */
  timestamp: z.string(),
  pid: z.int(),
  extraInstructions: z.string().optional(),
  protocol: z.int().nonnegative().optional(),
  /** Bearer token of the MCP server. */
  mcpToken: z.string().optional(),
  error: errorSummarySchema.optional(),
  /** `javascript` or `python`; any other name for a host in another language. */
  language: z.string().optional(),
  /** `node 24.21.0`, `python 3.11.7`. */
  runtime: z.string().optional(),
  /** Folder whose sources the agent may read. Default: the working folder of the CLI. */
  projectRoot: z.string().optional(),
  access: accessSchema.optional(),
  /** `provider/id`, or a tier. Default: the setting `model` of Klaus. */
  model: z.string().optional(),
  budget: budgetSchema.optional(),
  /** Milliseconds after which the CLI cancels its own run. */
  timeoutMs: z.int().positive().optional(),
  /** Equal for errors with the same cause: 16 hexadecimal digits. */
  fingerprint: z.string().optional(),
} as const;

export const investigateInputSchema = z.object({ mode: z.literal('investigate'), ...baseInput });

export const implementInputSchema = z.object({
  mode: z.literal('implement'),
  ...baseInput,
  prompt: z.string(),
  /** JSON Schema of the result. */
  schema: z.record(z.string(), z.unknown()),
});

/** One JSON object on the standard input of the CLI. Unknown fields are ignored. */
export const cliInputSchema = z.discriminatedUnion('mode', [investigateInputSchema, implementInputSchema]);

export type InvestigateInput = z.infer<typeof investigateInputSchema>;
export type ImplementInput = z.infer<typeof implementInputSchema>;
export type CliInput = z.infer<typeof cliInputSchema>;
