import { z } from 'zod';

const text = z.string().min(1).max(500);

const targetSchema = z
  .strictObject({
    tool: text.optional().describe('Name of a tool; `*` stands for any characters: `git_*`.'),
    read: text
      .optional()
      .describe(
        'Glob of files, relative to the workspace. Also holds for changing them, because a tool that changes a file sees it.',
      ),
    write: text.optional().describe('Glob of files, relative to the workspace.'),
    command: text
      .optional()
      .describe(
        'Words of a command, without quotes: its name and, in this order, words that stand somewhere behind it.',
      ),
  })
  .describe('Exactly one of the four.');

export const policyFileRuleSchema = z
  .strictObject({
    deny: targetSchema.optional(),
    ask: targetSchema.optional(),
    reason: z.string().min(1).max(300).optional().describe('Said to whoever is asked, and to the model.'),
  })
  .describe('Either `deny` or `ask`.');

/** The shape of `policy.yaml`. That a rule names one target, and that it can match, is checked where it is read. */
export const policyFileSchema = z.strictObject({
  rules: z.array(policyFileRuleSchema).optional(),
  secrets: z.array(text).optional().describe('Further secret files, as globs relative to the workspace.'),
});
export type PolicyFile = z.infer<typeof policyFileSchema>;
