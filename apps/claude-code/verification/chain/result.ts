import { z } from 'zod';

export const stageSchema = z.enum(['check', 'confirm', 'commit', 'push', 'intent', 'roots']);
export type Stage = z.infer<typeof stageSchema>;

export const checkSchema = z.object({
  command: z.string(),
  passed: z.boolean(),
  exitCode: z.number().nullable().describe('Null if the command did not end by itself.'),
  durationMs: z.number(),
  summary: z.string().describe('The lines that report problems; empty for a check that passed.'),
});
export type Check = z.infer<typeof checkSchema>;

export const findingSchema = z.object({
  file: z.string().describe('Relative to working_dir.'),
  line: z.number().int().positive().describe('In the new version, from 1.'),
  severity: z.enum(['error', 'warning']),
  text: z.string(),
});
export type Finding = z.infer<typeof findingSchema>;

/** The fields of a result that reports a failure. */
const failure = {
  ok: z.boolean(),
  stage: stageSchema.optional().describe('The stage that failed. Absent if all succeeded.'),
  code: z.string().optional().describe('The reason of the failure as a word.'),
  message: z.string(),
  hint: z.string().optional(),
};

export const checkResultSchema = z.object({ ...failure, checks: z.array(checkSchema).optional() });
export const confirmResultSchema = checkResultSchema.extend({
  tree: z.string().optional().describe('The Git tree that was checked and reviewed.'),
  findings: z.array(findingSchema).optional(),
  session: z.string().optional().describe('The session of the review: klaus show ID.'),
});
export const commitResultSchema = confirmResultSchema.extend({
  commit: z.string().optional(),
  files: z.array(z.string()).optional(),
  notes: z.array(z.string()).optional().describe('Rules of Git that the commit does not follow, as sentences.'),
});
export const pushResultSchema = z.object({
  ...failure,
  remote: z.string().optional(),
  branch: z.string().optional(),
  commit: z.string().optional(),
});
export const intentResultSchema = z.object(failure);
export const listResultSchema = z.object({
  ...failure,
  roots: z.array(z.string()).optional(),
  repositories: z.array(z.object({ path: z.string(), branch: z.string().nullable() })).optional(),
});

export type CheckResult = z.infer<typeof checkResultSchema>;
export type ConfirmResult = z.infer<typeof confirmResultSchema>;
export type CommitResult = z.infer<typeof commitResultSchema>;
export type PushResult = z.infer<typeof pushResultSchema>;
export type IntentResult = z.infer<typeof intentResultSchema>;
