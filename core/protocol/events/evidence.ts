import { z } from 'zod';
import { treeIdSchema } from '../changes/tree-change.ts';

export const checkKindSchema = z.enum(['test', 'types', 'lint', 'format', 'build', 'other']);
export type CheckKind = z.infer<typeof checkKindSchema>;

/** One program that checks something, as a command line was understood. */
export const checkSchema = z.object({
  kind: checkKindSchema,
  runner: z.string().describe('The program, such as `vitest`, or `script NAME` for a script that is not understood.'),
  cwd: z.string().describe("Where it ran, relative to the workspace; '' is the workspace."),
  paths: z.array(z.string()).describe('Files and folders that it was given. Empty: whatever it finds.'),
  filters: z.array(z.string()).describe('Options that leave something out, such as `-t adds`. Empty: none.'),
  script: z.string().optional().describe('The script of package.json that it came from.'),
});
export type Check = z.infer<typeof checkSchema>;

const programSchema = z.object({
  name: z.string(),
  path: z.string().describe('Where it was found, relative to the workspace where it lies there; `~/`: the home.'),
  hash: z.string().optional().describe('SHA-256 of its content, where commands could change it.'),
});

/** What the exit code of a check depends on, beside the files that it checks. */
export const checkEnvironmentSchema = z.object({
  digest: z.string().describe('SHA-256 of everything that follows.'),
  path: z.string().describe('`PATH`, with `.` for the workspace.'),
  shell: z.string().describe('What runs the scripts of package.json.'),
  programs: z.array(programSchema).describe('The programs that it starts, as they were found on the path.'),
  files: z
    .array(z.object({ path: z.string(), hash: z.string() }))
    .describe('Configuration that runners and package managers load, relative to the workspace.'),
  left: z
    .array(z.string())
    .describe('Files that a session put where checks load them, and that are still as it left them.'),
  home: z.array(z.string()).describe('Places of the home folder from which programs load code, and which hold some.'),
});
export type CheckEnvironment = z.infer<typeof checkEnvironmentSchema>;

/** What a call that checked something proves, as far as is known when it ends. */
export const receiptSchema = z.object({
  command: z.string(),
  exitCode: z.int().nullable(),
  checks: z.array(checkSchema).optional().describe('What it checked, as the command was understood.'),
  doubt: z.string().optional().describe('Why its exit code proves nothing, such as `npm test | tail`.'),
  tests: z
    .object({ passed: z.int(), failed: z.int(), skipped: z.int() })
    .optional()
    .describe('What the runner counted.'),
  tree: treeIdSchema.optional().describe('The workspace when it began. Absent: no state was kept.'),
  left: treeIdSchema.optional().describe('The workspace when it ended, where it differs from `tree`.'),
  environment: checkEnvironmentSchema
    .optional()
    .describe('What its exit code depended on. Absent: the driver cannot tell.'),
});
export type Receipt = z.infer<typeof receiptSchema>;

export const freshnessSchema = z
  .enum(['fresh', 'stale', 'unknown'])
  .describe('`fresh`: nothing differs from what it saw. `stale`: something does. `unknown`: no states to compare.');
export type Freshness = z.infer<typeof freshnessSchema>;

/** A check that ran in a run: what proves, or disproves, a claim of success. */
export const evidenceSchema = receiptSchema.extend({
  call: z.string(),
  freshness: freshnessSchema.optional().describe('At the end of the run.'),
  changed: z.array(z.string()).optional().describe('For `stale`: paths that differ from what it saw, at most 10.'),
  weakened: z
    .string()
    .optional()
    .describe('How the check itself was made to ask for less in this run, or to run otherwise in this session.'),
});
export type Evidence = z.infer<typeof evidenceSchema>;

export const claimStatusSchema = z
  .enum(['verified', 'unverified', 'contradicted', 'none'])
  .describe(
    '`verified`: fresh green evidence says the same. `contradicted`: a red check says otherwise. `unverified`: nothing proves it. `none`: nothing was claimed.',
  );
export type ClaimStatus = z.infer<typeof claimStatusSchema>;

/** A success that the model's last words claim, set against the evidence. */
export const claimSchema = z.object({
  said: z.string().describe("The model's words, at most 200 characters."),
  kind: z.enum(['test', 'types', 'lint', 'format', 'build', 'any']).describe('`any`: that it works, in whatever way.'),
  status: claimStatusSchema,
  reason: z.string().describe('What proves it, or what is missing, in one sentence.'),
});
export type Claim = z.infer<typeof claimSchema>;
