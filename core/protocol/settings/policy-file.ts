import { z } from 'zod';

const text = z.string().min(1).max(500);

const targetSchema = z
  .strictObject({
    tool: text.optional().describe('Name of a tool; `*` matches any characters: `git_*`.'),
    read: text
      .optional()
      .describe(
        'Glob of files, relative to the workspace. It also applies to changes, because a tool that changes a file reads it.',
      ),
    write: text.optional().describe('Glob of files, relative to the workspace.'),
    command: text
      .optional()
      .describe(
        'Words of a command, without quotes: its name, and words that follow it at any distance in this order.',
      ),
  })
  .describe('Exactly one of the four.');

export const policyFileRuleSchema = z
  .strictObject({
    deny: targetSchema.optional(),
    ask: targetSchema.optional(),
    reason: z.string().min(1).max(300).optional().describe('Shown to the user who is asked, and to the model.'),
  })
  .describe('Either `deny` or `ask`.');

/** The shape of `policy.yaml`. The reader of the file also checks that each rule has one target that can match. */
export const policyFileSchema = z.strictObject({
  rules: z.array(policyFileRuleSchema).optional(),
  secrets: z.array(text).optional().describe('Further secret files, as globs relative to the workspace.'),
});
export type PolicyFile = z.infer<typeof policyFileSchema>;
