import { z } from 'zod';
import { treeIdSchema } from '../changes/tree-change.ts';

export const checkKindSchema = z.enum(['test', 'types', 'lint', 'format', 'build', 'other']);
export type CheckKind = z.infer<typeof checkKindSchema>;

/** One program that checks something, as it was parsed from a command line. */
export const checkSchema = z.object({
  kind: checkKindSchema,
  runner: z.string().describe('The program, such as `vitest`, or `script NAME` for a script that could not be parsed.'),
  cwd: z.string().describe("Folder in which it ran, relative to the workspace; '' is the workspace."),
  paths: z.array(z.string()).describe('Files and folders in its arguments. Empty: all that it finds.'),
  filters: z.array(z.string()).describe('Options that exclude something, such as `-t adds`. Empty: none.'),
  loads: z
    .array(z.string())
    .optional()
    .describe('Code and configuration that its options name, such as the value of `--import`. Absent: none.'),
  script: z.string().optional().describe('The script of package.json that runs it.'),
});
export type Check = z.infer<typeof checkSchema>;

const programSchema = z.object({
  name: z.string(),
  path: z
    .string()
    .describe('Path of the program: relative to the workspace if it is inside, with `~/` if it is in the home folder.'),
  hash: z.string().optional().describe('SHA-256 of its content, if commands could change it.'),
});

/** What the exit code of a check depends on, in addition to the files that it checks. */
export const checkEnvironmentSchema = z.object({
  digest: z.string().describe('SHA-256 of all other fields.'),
  path: z.string().describe('`PATH`, with `.` for the workspace.'),
  shell: z.string().describe('The shell that runs the scripts of package.json.'),
  programs: z.array(programSchema).describe('The programs that it starts, as found on the path.'),
  files: z
    .array(z.object({ path: z.string(), hash: z.string() }))
    .describe('Configuration that runners and package managers load, relative to the workspace.'),
  left: z
    .array(z.string())
    .describe('Files that a session wrote to paths from which checks load code, and that are unchanged since.'),
  home: z.array(z.string()).describe('Paths in the home folder that contain code which programs load.'),
});
export type CheckEnvironment = z.infer<typeof checkEnvironmentSchema>;

/** What a check proves, as known when its call ends. */
export const receiptSchema = z.object({
  command: z.string(),
  exitCode: z.int().nullable(),
  checks: z.array(checkSchema).optional().describe('The checks that were parsed from the command.'),
  doubt: z.string().optional().describe('Why its exit code proves nothing, as for `npm test | tail`.'),
  tests: z
    .object({ passed: z.int(), failed: z.int(), skipped: z.int(), assertions: z.int().optional() })
    .optional()
    .describe('The counts of the test runner.'),
  tree: treeIdSchema.optional().describe('The workspace when it started. Absent: no snapshot was stored.'),
  left: treeIdSchema.optional().describe('The workspace when it ended, if it differs from `tree`.'),
  environment: checkEnvironmentSchema
    .optional()
    .describe('What its exit code depended on. Absent: the sandbox driver does not report it.'),
});
export type Receipt = z.infer<typeof receiptSchema>;

export const freshnessSchema = z
  .enum(['fresh', 'stale', 'unknown'])
  .describe(
    '`fresh`: the files are as the check saw them. `stale`: files changed since. `unknown`: there are no snapshots to compare.',
  );
export type Freshness = z.infer<typeof freshnessSchema>;

/** A check of a run. It proves or disproves a claim of success. */
export const evidenceSchema = receiptSchema.extend({
  call: z.string(),
  freshness: freshnessSchema.optional().describe('At the end of the run.'),
  changed: z.array(z.string()).optional().describe('For `stale`: paths that changed since the check, at most 10.'),
  weakened: z
    .string()
    .optional()
    .describe('How the check was weakened in this run, or its environment changed in this session.'),
});
export type Evidence = z.infer<typeof evidenceSchema>;

export const claimStatusSchema = z
  .enum(['verified', 'unverified', 'contradicted', 'none'])
  .describe(
    '`verified`: fresh evidence proves it. `contradicted`: a failed check disproves it. `unverified`: no evidence proves it. `none`: nothing was claimed.',
  );
export type ClaimStatus = z.infer<typeof claimStatusSchema>;

/** A success that the model claims at the end of a run, compared with the evidence. */
export const claimSchema = z.object({
  said: z.string().describe("The model's words, at most 200 characters."),
  kind: z
    .enum(['test', 'types', 'lint', 'format', 'build', 'any'])
    .describe('`any`: a claim that names no kind of check.'),
  status: claimStatusSchema,
  reason: z.string().describe('The evidence for or against it, or what is missing, in one sentence.'),
});
export type Claim = z.infer<typeof claimSchema>;
