import { z } from 'zod';

/** A tool call of an agent, as far as a reviewer sees it. */
export const reviewedCallSchema = z.object({
  /** Name as the agent's program spells it, such as `Bash`, `Edit`, `run_command`. */
  tool: z.string(),
  input: z.record(z.string(), z.unknown()),
  /** Absolute path of the project. */
  root: z.string(),
  /** Absolute path of the folder where a command runs; default: `root`. */
  cwd: z.string().optional(),
});
export type ReviewedCall = z.infer<typeof reviewedCallSchema>;

/** One entry of a conversation, oldest first. */
export const spokenSchema = z.object({
  /** `tool`: the output of a tool. */
  role: z.enum(['user', 'assistant', 'tool']),
  text: z.string(),
  /** The tool and what it did, such as `Bash: npm test`. */
  call: z.string().optional(),
});
export type Spoken = z.infer<typeof spokenSchema>;
