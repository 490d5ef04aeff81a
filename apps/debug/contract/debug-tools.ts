import { z } from 'zod';
import { findingsSchema } from './report.ts';
import { stackFrameSchema } from './stack-frame.ts';
import { valueNodeSchema } from './value-node.ts';

export const consoleEntrySchema = z.object({
  /** From 1, without gaps. */
  seq: z.int().positive(),
  /** `log`, `error`, … or `stdout` and `stderr`. */
  level: z.string(),
  text: z.string(),
});

const frame = z
  .int()
  .nonnegative()
  .describe('Index of a frame in the result of `frames`. 0 is where the error was thrown.');

/**
 * The tools of the MCP server in the program. A server needs `eval`, and for `implement` the two tools of
 * {@link IMPLEMENT_TOOLS}; all others are optional. A result is one text with the JSON of `output`, and the same as
 * `structuredContent`. A failure, such as an exception of the evaluated code, is a result with `isError`.
 */
export const DEBUG_TOOLS = {
  eval: {
    description:
      'Evaluate code in the running program. It sees `context`, each item of the context by its name, the variables of ' +
      'the frame if one is given, and the globals of the program. The value of the last expression is returned. `await` ' +
      'is allowed. Read-only evaluation refuses code that changes the program.',
    input: z.object({
      code: z.string(),
      frame: frame.optional(),
      readOnly: z.boolean().optional().describe('Refuse side effects. Default: true, unless the access is `full`.'),
      timeoutMs: z.int().min(1).max(60_000).optional().describe('Default 5000.'),
    }),
    output: z.object({
      result: z.string(),
      console: z.array(consoleEntrySchema),
      /** What limits the result: it was computed on copies, or the frame has no variables. */
      note: z.string().optional(),
    }),
  },
  frames: {
    description: 'List the frames of the call stack of the error, the innermost first.',
    input: z.object({}),
    output: z.object({
      frames: z.array(stackFrameSchema),
      /** Why variables of frames are missing. */
      notes: z.array(z.string()).optional(),
    }),
  },
  locals: {
    description: 'Show the variables of a frame as a tree, or a part of one variable.',
    input: z.object({
      frame,
      path: z.string().optional().describe('`path` of a value that was shown before. Default: all variables.'),
      depth: z.int().min(1).max(6).optional().describe('Default 2.'),
    }),
    output: z.object({ values: z.array(valueNodeSchema) }),
  },
  source: {
    description: 'Show lines of a source file of the program, as the program loaded it.',
    input: z.object({
      file: z.string(),
      line: z.int().positive(),
      around: z.int().min(0).max(200).optional().describe('Lines before and after. Default 10.'),
    }),
    output: z.object({
      file: z.string(),
      /** Number of the first line. */
      first: z.int().positive(),
      text: z.string(),
    }),
  },
  console: {
    description: 'Show what the program printed since the investigation started.',
    input: z.object({ since: z.int().nonnegative().optional().describe('`seq` of the last known entry.') }),
    output: z.object({ entries: z.array(consoleEntrySchema) }),
  },
  report: {
    description:
      'Report the result of the investigation, once, at the end: the root cause with file and line, the evidence that ' +
      'was seen in the program, and a patch if there is a safe one.',
    input: findingsSchema,
    output: z.object({ accepted: z.boolean() }),
  },
} as const;

export const IMPLEMENT_TOOLS = {
  set_result: {
    description: 'Set the result. It must match the schema; a result that does not is refused with the reasons.',
    input: z.object({ result: z.unknown() }),
    output: z.object({
      accepted: z.boolean(),
      errors: z.array(z.string()).optional(),
      attemptsLeft: z.int().nonnegative().optional(),
    }),
  },
  fail_implementation: {
    description: 'Report that no result is possible, with the reason. Use it instead of an invented result.',
    input: z.object({ reason: z.string() }),
    output: z.object({ accepted: z.boolean() }),
  },
} as const;

export type DebugToolName = keyof typeof DEBUG_TOOLS;
export type ImplementToolName = keyof typeof IMPLEMENT_TOOLS;
export type ConsoleEntry = z.infer<typeof consoleEntrySchema>;
/** What a tool gets and returns, by its name. */
export type DebugInput<N extends DebugToolName> = z.infer<(typeof DEBUG_TOOLS)[N]['input']>;
export type DebugOutput<N extends DebugToolName> = z.infer<(typeof DEBUG_TOOLS)[N]['output']>;
