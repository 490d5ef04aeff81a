import { z } from 'zod';

/** One frame of a call stack, the innermost first. */
export const stackFrameSchema = z.object({
  /** Absolute path, or the URL of a script that has no file. */
  filePath: z.string(),
  /** From 1, in the source that the user wrote, if a source map names it. */
  line: z.int().positive().optional(),
  /** From 1. */
  column: z.int().positive().optional(),
  functionName: z.string().optional(),
  /** True for code of the project: not of the runtime and not of an installed package. */
  isUser: z.boolean().optional(),
  /** True if `locals` of this frame can be read. */
  hasLocals: z.boolean().optional(),
  /** True for a caller across an `await`. */
  isAsync: z.boolean().optional(),
  /** Of an error inside of the error, where it is: `error.cause`, `error.errors[0]`. Absent: of the error itself. */
  of: z.string().optional(),
});

export type StackFrame = z.infer<typeof stackFrameSchema>;
