import {
  decisionSchema,
  envelopeSchema,
  hunkSchema,
  inputQuestionSchema,
  rememberedSchema,
  scopeSchema,
  treeChangeSchema,
} from '@klaus/core/protocol';
import { z } from 'zod';

export const approvalViewSchema = z.object({
  id: z.string(),
  session: z.string(),
  sessionTitle: z.string().nullable(),
  workspace: z.string(),
  kind: z.enum(['call', 'changes', 'plan', 'input', 'limit']),
  title: z.string().describe('The call or change in one line.'),
  reason: z.string(),
  toolName: z.string().nullable(),
  command: z.string().nullable(),
  limitName: z.string().nullable(),
  offer: z.number().nullable().describe('For a limit: the cap after an approval.'),
  createdAt: z.string().describe('ISO 8601.'),
  expiresAt: z.number().describe('Unix milliseconds.'),
  answer: z.enum(['approved', 'rejected', 'expired', 'superseded']).nullable().describe('Null while it is open.'),
  answeredBy: z.string().nullable(),
  note: z.string().nullable(),
  answeredAt: z.string().nullable(),
  chain: z
    .array(z.object({ session: z.string(), agent: z.string() }))
    .optional()
    .describe('For a child session: the sessions from the one that the user opened to this one.'),
});
export type ApprovalView = z.infer<typeof approvalViewSchema>;

export const approvalDetailSchema = approvalViewSchema.extend({
  diff: z.string().nullable().describe('Unified diff of the complete change.'),
  plan: z.string().nullable().optional().describe('For a plan: its Markdown. Absent from a server without plans.'),
  input: inputQuestionSchema
    .nullable()
    .optional()
    .describe('For a question of a running tool. Absent from a server without them.'),
  hunks: z.array(hunkSchema.extend({ editable: z.boolean().describe('True if its lines can be replaced.') })),
  scopes: z.array(z.enum(['once', 'session', 'project'])).describe('How long an approval can be valid.'),
});

/** An approval that is valid after its session. */
export const rememberedViewSchema = z.object({
  approval: z.string().describe('Id of the approval.'),
  session: z.string(),
  workspace: z.string().describe('Absolute path.'),
  remembered: rememberedSchema,
  createdAt: z.string().describe('ISO 8601.'),
});

/** An approval of a call that was given in a session. */
export const givenApprovalSchema = z.object({
  approval: z.string(),
  call: z.string().describe('Id of the call.'),
  scope: scopeSchema.describe('How long it applies, with a change that waits for the process that holds the session.'),
  remembered: rememberedSchema.describe('What it covers with a scope beyond `once`.'),
});
export type GivenApprovalView = z.infer<typeof givenApprovalSchema>;

/** An excerpt of a message, call or result of a session. */
export const recalledSchema = z.object({
  seq: z.int().describe('Seq of its event.'),
  turn: z.int(),
  title: z.string().describe('The source: `result of read_file src/a.ts`, `the user`.'),
  text: z.string(),
  start: z.int().describe('Offset of `text`, in characters.'),
  length: z.int().describe('Characters of the complete text.'),
});

export const fileEntrySchema = z.object({
  name: z.string(),
  path: z.string().describe('Relative to the workspace, with forward slashes.'),
  type: z.enum(['file', 'directory', 'symlink', 'other']),
  size: z.number().nullable().describe('Bytes of a file.'),
  modifiedAt: z.string().describe('ISO 8601.'),
  change: z
    .enum(['created', 'modified', 'deleted'])
    .nullable()
    .describe('How the session changed it, or a file in it.'),
});
export type FileEntry = z.infer<typeof fileEntrySchema>;

export const fileContentSchema = z.object({
  path: z.string(),
  size: z.number().describe('Bytes.'),
  mediaType: z.string(),
  encoding: z.enum(['utf8', 'base64', 'none']).describe('`none`: hidden or too large.'),
  content: z.string(),
  truncated: z.boolean().describe('True if only the start is included.'),
  hidden: z.boolean().describe('True for a file with secrets, whose content is never sent.'),
});

const priceSchema = z.object({ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() });

export const modelViewSchema = z.object({
  name: z.string().describe('Full name, `provider/id`.'),
  provider: z.string(),
  description: z.string().describe('One line.'),
  tier: z.enum(['opus', 'sonnet', 'haiku']).nullable().describe('The tier that it is the default of.'),
  contextWindow: z.int().describe('Tokens.'),
  maxOutputTokens: z.int(),
  images: z.boolean(),
  efforts: z
    .array(z.string())
    .optional()
    .describe('The levels of effort that the provider accepts; empty if none. Absent from a server without them.'),
  price: priceSchema.nullable().describe('US dollars per million tokens of a short prompt; null: unknown.'),
  relativePrice: z.number().nullable().describe('Relative to the most expensive model of the list, which is 1.'),
  until: z.string().nullable().describe('Date on which the provider retires it.'),
  usable: z.boolean().describe('True if a key for it is set.'),
  isDefault: z.boolean(),
});
export type ModelView = z.infer<typeof modelViewSchema>;

const chargedSchema = z.object({
  requests: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheReadTokens: z.int(),
  cacheWriteTokens: z.int(),
  usd: z.number().nullable().describe('Null: a price is unknown.'),
});

/** What a row of usage can sum up. */
export const USAGE_GROUPS = ['day', 'model', 'workspace', 'agent', 'session'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export const usageRowSchema = chargedSchema.extend({
  key: z
    .string()
    .describe(
      'The day (`2026-01-31`, UTC), the model, the session, the agent or the workspace; a working copy counts for its repository.',
    ),
  heldUsd: z
    .number()
    .default(0)
    .describe("US dollars that requests without the provider's figure may have cost in addition."),
  broken: chargedSchema.describe('Of these, requests that broke off.'),
  abandoned: chargedSchema.describe('Of these, requests of processes that ended.'),
});
export type UsageRowView = z.infer<typeof usageRowSchema>;

export const reservedRequestSchema = z.object({
  session: z.string(),
  purpose: z.enum(['turn', 'compaction', 'title', 'review', 'search', 'program']),
  model: z.string(),
  tokens: z.int(),
  usd: z.number().nullable(),
  at: z.number().describe('Unix milliseconds.'),
});

export const searchHitSchema = z.object({
  session: z.string(),
  sessionTitle: z.string().nullable(),
  seq: z.int().nullable().describe('Seq of its event, for `#seq`; null if unknown.'),
  role: z.string().describe('`user`, `assistant` or `tool`.'),
  snippet: z.array(z.object({ text: z.string(), hit: z.boolean() })).describe('In order; `hit` marks matches.'),
  at: z.string().describe('ISO 8601.'),
});
export type SearchHit = z.infer<typeof searchHitSchema>;

export const decisionViewSchema = decisionSchema.extend({
  seq: envelopeSchema.shape.seq,
  at: z.number().describe('Unix milliseconds.'),
  turn: z.int(),
  call: z.string(),
  tool: z.string(),
  input: z.unknown(),
  phase: z.literal('changes').nullable().describe('`changes`: a decision on the changes of a command.'),
});
export type DecisionView = z.infer<typeof decisionViewSchema>;

const conflictSchema = z.object({ path: z.string() });

/** The result of an undo, redo or restore, or of a dry run. */
export const restoredSchema = z.object({
  done: z.boolean().describe('False: no file was changed.'),
  turns: z.array(z.int()),
  changes: z.array(treeChangeSchema),
  git: z
    .object({
      changes: z.array(treeChangeSchema),
      refs: z.array(
        z.object({
          repository: z.string().describe('Its folder; empty for the workspace.'),
          name: z.string().describe('Such as `HEAD` or `refs/heads/main`.'),
          from: z.string().optional().describe('The present target; absent: it does not exist.'),
          to: z.string().optional(),
        }),
      ),
    })
    .describe('The same for Git data.'),
  conflicts: z
    .array(conflictSchema)
    .describe(
      'Files that were changed in the meantime, and not by the session, or of which it is unclear who changed them. Nothing is restored until `conflicts` is `keep` or `overwrite`.',
    ),
  kept: z.array(conflictSchema),
  uncovered: z.array(z.string()).describe('Paths without a snapshot, which are not restored.'),
  notRestored: z
    .array(
      z.object({
        path: z.string(),
        command: z.string().nullable().describe('Rebuilds it, in the workspace. Null: the tool that made it does so.'),
      }),
    )
    .describe(
      'Folders of tools, such as `node_modules`, that are left as they are, because their content is not stored.',
    ),
});
export type RestoredView = z.infer<typeof restoredSchema>;

export const processViewSchema = z.object({
  session: z.string(),
  id: z.string().describe('Such as `p1`.'),
  command: z.string(),
  state: z.enum(['unstarted', 'running', 'exited', 'stopped', 'lost']),
  exitCode: z.int().nullable().describe('Null while it runs, and if unknown.'),
  reason: z.string().nullable(),
  survives: z.boolean().describe('True if it continues when Klaus exits.'),
  startedAt: z.number().describe('Unix milliseconds.'),
  endedAt: z.number().nullable(),
  bytes: z.int().describe('Bytes of output so far.'),
});
export type ProcessView = z.infer<typeof processViewSchema>;

export const runViewSchema = z.object({ session: z.string(), since: z.number().describe('Unix milliseconds.') });
