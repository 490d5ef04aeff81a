import { z } from 'zod';

export const scopeSchema = z.enum(['once', 'session', 'project']);
/** What an approval applies to: this call, this session, or every session of the same agent in this workspace. */
export type Scope = z.infer<typeof scopeSchema>;

export const boundScriptSchema = z.object({
  path: z.string().describe('Relative to the workspace.'),
  hash: z.string().describe('SHA-256 of the content; for a package.json of its scripts.'),
});
/** A file that a command runs as code, with its content when the approval was asked for. */
export type BoundScript = z.infer<typeof boundScriptSchema>;

export const rememberedSchema = z.object({
  agent: z.string().describe('The only agent that it applies to.'),
  tool: z.string(),
  rules: z.array(z.string()).describe('Rules of the gate that it answers.'),
  command: z.string().optional().describe('The command as the gate parsed it.'),
  paths: z.array(z.string()).optional().describe('Files, relative to the workspace.'),
  server: z
    .string()
    .optional()
    .describe('Digest of the address or the program of an MCP server. It applies to every call of the tool there.'),
  scripts: z
    .array(boundScriptSchema)
    .optional()
    .describe('Files that the command runs. It applies while their content is the same.'),
});
/** What an approval with a scope applies to from then on. */
export type Remembered = z.infer<typeof rememberedSchema>;

export const hunkAnswerSchema = z.object({
  accepted: z.array(z.string()).describe('Ids of the accepted hunks. All others are rejected.'),
  edited: z
    .array(z.object({ id: z.string(), text: z.string() }))
    .optional()
    .describe('Accepted hunks with edited new lines: the text that replaces the old lines.'),
});
/** An answer for each hunk of a change. */
export type HunkAnswer = z.infer<typeof hunkAnswerSchema>;
