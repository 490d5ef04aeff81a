import { z } from 'zod';

export const scopeSchema = z.enum(['once', 'session', 'project']);
/** How long an approval holds: for this call, in this session, or in every session of the same agent on this workspace. */
export type Scope = z.infer<typeof scopeSchema>;

export const boundScriptSchema = z.object({
  path: z.string().describe('Relative to the workspace.'),
  hash: z.string().describe('SHA-256 of the content; for a package.json of its scripts.'),
});
/** A file that a command runs as code, as it was when the question was asked. */
export type BoundScript = z.infer<typeof boundScriptSchema>;

export const rememberedSchema = z.object({
  agent: z.string().describe('Holds for this agent alone.'),
  tool: z.string(),
  rules: z.array(z.string()).describe('Rules whose questions it answers.'),
  command: z.string().optional().describe('The command as the gate understood it.'),
  paths: z.array(z.string()).optional().describe('Files, relative to the workspace.'),
  scripts: z
    .array(boundScriptSchema)
    .optional()
    .describe('Files that the command runs; it holds while they are the same.'),
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
