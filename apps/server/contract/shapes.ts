import { decisionSchema, envelopeSchema, hunkSchema, rememberedSchema, treeChangeSchema } from '@klaus/core/protocol';
import { z } from 'zod';

/** A question as the queue shows it. */
export const approvalViewSchema = z.object({
  id: z.string(),
  session: z.string(),
  sessionTitle: z.string().nullable(),
  workspace: z.string(),
  kind: z.enum(['call', 'changes', 'limit']),
  title: z.string().describe('The question in one line.'),
  reason: z.string(),
  toolName: z.string().nullable(),
  command: z.string().nullable(),
  limitName: z.string().nullable(),
  offer: z.number().nullable().describe('For a limit: the cap that a yes sets.'),
  createdAt: z.string().describe('ISO 8601.'),
  expiresAt: z.number().describe('Unix milliseconds.'),
  answer: z.enum(['approved', 'rejected', 'expired', 'superseded']).nullable().describe('Null while it is open.'),
  answeredBy: z.string().nullable(),
  note: z.string().nullable(),
  answeredAt: z.string().nullable(),
});
export type ApprovalView = z.infer<typeof approvalViewSchema>;

/** A question with all that is needed to decide. */
export const approvalDetailSchema = approvalViewSchema.extend({
  diff: z.string().nullable().describe('Unified diff of the whole change.'),
  hunks: z.array(hunkSchema.extend({ editable: z.boolean().describe('True for one whose lines can be replaced.') })),
  scopes: z.array(z.enum(['once', 'session', 'project'])).describe('For how long a yes can hold.'),
});
export type ApprovalDetail = z.infer<typeof approvalDetailSchema>;

/** An approval that holds for longer than its session. */
export const rememberedViewSchema = z.object({
  approval: z.string().describe('The approval that it was given with.'),
  session: z.string(),
  workspace: z.string().describe('Absolute path.'),
  remembered: rememberedSchema,
  createdAt: z.string().describe('ISO 8601.'),
});
export type RememberedView = z.infer<typeof rememberedViewSchema>;

/** A piece of what was said, called or given in a session, as its log holds it. */
export const recalledSchema = z.object({
  seq: z.int().describe('Record of the log that it stands in.'),
  turn: z.int(),
  title: z.string().describe('What it is: `result of read_file src/a.ts`, `the user`.'),
  text: z.string(),
  start: z.int().describe('Where `text` begins, in characters.'),
  length: z.int().describe('Characters of the whole.'),
});
export type RecalledView = z.infer<typeof recalledSchema>;

export const fileEntrySchema = z.object({
  name: z.string(),
  path: z.string().describe('Relative to the workspace, with forward slashes.'),
  type: z.enum(['file', 'directory', 'symlink', 'other']),
  size: z.number().nullable().describe('Bytes, of a file.'),
  modifiedAt: z.string().describe('ISO 8601.'),
  change: z
    .enum(['created', 'modified', 'deleted'])
    .nullable()
    .describe('What the session did to it, or in it, since it began.'),
});
export type FileEntry = z.infer<typeof fileEntrySchema>;

export const fileContentSchema = z.object({
  path: z.string(),
  size: z.number().describe('Bytes.'),
  mediaType: z.string(),
  encoding: z.enum(['utf8', 'base64', 'none']).describe('`none`: hidden or too large to be sent.'),
  content: z.string(),
  truncated: z.boolean().describe('True when only the beginning is here.'),
  hidden: z.boolean().describe('True for a file that holds secrets: its content never leaves the machine.'),
});
export type FileContent = z.infer<typeof fileContentSchema>;

const priceSchema = z.object({ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() });

export const modelViewSchema = z.object({
  name: z.string().describe('Full name, `provider/id`.'),
  provider: z.string(),
  description: z.string().describe('One line.'),
  tier: z.enum(['opus', 'sonnet', 'haiku']).nullable().describe('The tier whose default it is.'),
  contextWindow: z.int().describe('Tokens.'),
  maxOutputTokens: z.int(),
  images: z.boolean(),
  price: priceSchema.nullable().describe('US dollars per million tokens of a short prompt; null: not known.'),
  relativePrice: z.number().nullable().describe('Compared with the dearest of the list, which is 1.'),
  until: z.string().nullable().describe('Date on which the provider ends it.'),
  usable: z.boolean().describe('True when a key for it is here.'),
  isDefault: z.boolean(),
});
export type ModelView = z.infer<typeof modelViewSchema>;

const chargedSchema = z.object({
  requests: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheReadTokens: z.int(),
  cacheWriteTokens: z.int(),
  usd: z.number().nullable().describe('Null: a price is not known.'),
});

export const usageRowSchema = chargedSchema.extend({
  key: z.string().describe('The day (`2026-01-31`, UTC), the model, the session or the agent.'),
  broken: chargedSchema.describe('Of that, what broke after it had begun.'),
  abandoned: chargedSchema.describe('Of that, what a process left behind as it ended.'),
});
export type UsageRowView = z.infer<typeof usageRowSchema>;

export const reservedRequestSchema = z.object({
  session: z.string(),
  purpose: z.enum(['turn', 'compaction', 'title']),
  model: z.string(),
  tokens: z.int(),
  usd: z.number().nullable(),
  at: z.number().describe('Unix milliseconds.'),
});

export const searchHitSchema = z.object({
  session: z.string(),
  sessionTitle: z.string().nullable(),
  seq: z.int().nullable().describe('Of the record that it stands in, for `#seq`; null where that is not known.'),
  role: z.string().describe('`user`, `assistant` or `tool`.'),
  snippet: z.array(z.object({ text: z.string(), hit: z.boolean() })).describe('In order; `hit` marks the words found.'),
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
  phase: z.literal('changes').nullable().describe('`changes`: what a command changed was judged.'),
});
export type DecisionView = z.infer<typeof decisionViewSchema>;

const conflictSchema = z.object({ path: z.string() });

/** What an undo, redo or restore came to, or would come to. */
export const restoredSchema = z.object({
  done: z.boolean().describe('False: no file was touched.'),
  turns: z.array(z.int()),
  changes: z.array(treeChangeSchema),
  git: z
    .object({
      changes: z.array(treeChangeSchema),
      refs: z.array(
        z.object({
          repository: z.string().describe('Its folder; empty is the workspace.'),
          name: z.string().describe('Such as `HEAD` or `refs/heads/main`.'),
          from: z.string().optional().describe('What it names now; absent: it does not exist.'),
          to: z.string().optional(),
        }),
      ),
    })
    .describe("The same for git's own data."),
  conflicts: z
    .array(conflictSchema)
    .describe('Changed meanwhile, and not by the session. Touches nothing until told to keep or overwrite.'),
  kept: z.array(conflictSchema),
  uncovered: z.array(z.string()).describe('Never kept, so not put back.'),
});
export type RestoredView = z.infer<typeof restoredSchema>;

export const processViewSchema = z.object({
  session: z.string(),
  id: z.string().describe('Such as `p1`.'),
  command: z.string(),
  state: z.enum(['unstarted', 'running', 'exited', 'stopped', 'lost']),
  exitCode: z.int().nullable().describe('Null while it runs, and where it is not known.'),
  reason: z.string().nullable(),
  survives: z.boolean().describe('True for one that goes on when Klaus ends.'),
  startedAt: z.number().describe('Unix milliseconds.'),
  endedAt: z.number().nullable(),
  bytes: z.int().describe('Bytes of output so far.'),
});
export type ProcessView = z.infer<typeof processViewSchema>;

export const runViewSchema = z.object({ session: z.string(), since: z.number().describe('Unix milliseconds.') });
