import { z } from 'zod';

export const scopeSchema = z.enum(['once', 'session', 'project']);
/** How long an approval holds: for this call, in this session, or in every session of the same agent on this workspace. */
export type Scope = z.infer<typeof scopeSchema>;

export const rememberedSchema = z.object({
  agent: z.string().describe('Holds for this agent alone.'),
  tool: z.string(),
  rules: z.array(z.string()).describe('Rules whose questions it answers.'),
  command: z.string().optional().describe('The command as the gate understood it.'),
  paths: z.array(z.string()).optional().describe('Files, relative to the workspace.'),
});
/** What an approval with a scope answers from then on. */
export type Remembered = z.infer<typeof rememberedSchema>;

export const hunkAnswerSchema = z.object({
  accepted: z.array(z.string()).describe('Ids of the hunks that are taken; the others are rejected.'),
  edited: z
    .array(z.object({ id: z.string(), text: z.string() }))
    .optional()
    .describe('Accepted hunks with other new lines: the text that stands in the place of the old lines.'),
});
/** An answer hunk by hunk. */
export type HunkAnswer = z.infer<typeof hunkAnswerSchema>;
