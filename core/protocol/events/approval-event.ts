import { z } from 'zod';
import { boundScriptSchema, hunkAnswerSchema, rememberedSchema, scopeSchema } from '../authority/approval.ts';
import { grantSchema } from '../authority/grant.ts';
import { hunkSchema, type Hunk } from '../changes/hunk.ts';
import { renderHunks } from '../changes/render-hunk.ts';
import { treeIdSchema } from '../changes/tree-change.ts';
import { toolResultSchema } from '../messages/tool-result.ts';
import { inputContentSchema, inputQuestionSchema } from '../questions/input-field.ts';
import { escalationSchema } from './child-event.ts';
import { limitName, run } from './event-fields.ts';

const call = { call: z.string(), index: z.int(), name: z.string() };

const subjectSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('call'),
    ...call,
    callHash: z.string(),
    before: z.array(z.object({ path: z.string(), hash: z.string().nullable() })),
    grantHash: z.string(),
    diff: z.string().optional().describe('Unified diff of the change.'),
    command: z.string().optional(),
    scripts: z
      .array(boundScriptSchema)
      .optional()
      .describe('Files that the command runs. Other content needs a new approval.'),
    rivals: z
      .array(z.string())
      .optional()
      .describe(
        'Background processes that can change these files while the command runs. A further one needs a new approval.',
      ),
    hunks: z.array(hunkSchema).optional().describe('The parts of the change that can be answered separately.'),
    remember: rememberedSchema.optional().describe('What an answer with a scope beyond `once` applies to.'),
    escalation: escalationSchema
      .optional()
      .describe('What a child session gets for a limited time with the scope `session`.'),
  }),
  z.object({
    kind: z.literal('changes'),
    ...call,
    command: z.string().optional(),
    from: treeIdSchema.describe('The workspace when the command started.'),
    to: treeIdSchema.describe('The workspace as the command left it on its layer.'),
    files: z.int().describe('Number of paths that differ.'),
    diff: z.string(),
    hunks: z.array(hunkSchema),
    result: toolResultSchema.describe('Result of the command, stored until the approval is answered.'),
  }),
  z.object({
    kind: z.literal('plan'),
    ...call,
    plan: z.string().describe('Markdown. The user may edit it before the approval.'),
  }),
  z
    .object({ kind: z.literal('input'), ...call, ...inputQuestionSchema.shape })
    .describe('A question of a running tool. Its answer goes to the tool.'),
  z.object({
    kind: z.literal('limit'),
    limit: limitName,
    used: z.number(),
    cap: z.number(),
    offer: z.number().describe('The cap that an approval sets.'),
  }),
]);

/** The parts of a change that can be answered separately; none for a question about anything else. */
export function hunksOf({ subject }: Pick<z.infer<typeof approvalAsked>, 'subject'>): readonly Hunk[] {
  return subject.kind === 'call' || subject.kind === 'changes' ? (subject.hunks ?? []) : [];
}

/** The complete change as a unified diff; undefined for a question about anything else. */
export function diffOf(asked: Pick<z.infer<typeof approvalAsked>, 'subject'>): string | undefined {
  const { subject } = asked;
  // The stored diff of the changes of a command may be cut.
  if (subject.kind === 'changes') return renderHunks(subject.hunks);
  return subject.kind === 'call' ? subject.diff : undefined;
}

export const approvalAsked = z
  .object({
    type: z.literal('approval.asked'),
    ...run,
    approval: z.string(),
    turn: z.int(),
    subject: subjectSchema,
    title: z.string().describe('The question in one line.'),
    reason: z.string().describe('Why an approval is needed.'),
    expiresAt: z.number().describe('Unix milliseconds.'),
    held: z
      .literal(true)
      .optional()
      .describe(
        'The run does not park: a running tool, or the process of an agent that another program drives, waits for the answer.',
      ),
    chain: z
      .array(z.object({ session: z.string(), agent: z.string() }))
      .optional()
      .describe('The sessions from the one that the user opened to this one. Absent: the user opened this one.'),
  })
  .describe(
    'A user is asked for an approval. It is bound to the call, the files that it would change, the scripts that it runs and the grant. When one of them differs, the user is asked again.',
  );

export const approvalAnswered = z
  .object({
    type: z.literal('approval.answered'),
    ...run,
    approval: z.string(),
    answer: z.enum(['approved', 'rejected', 'expired', 'superseded']),
    by: z
      .string()
      .describe(
        'The door that answered: `cli`; for the server with its client, `server/page`, and with the person that its sign-in names, `server/page:alice@example.com`; `klaus` for an answer of the engine itself.',
      ),
    note: z.string().optional(),
    hunks: hunkAnswerSchema.optional().describe('Absent: the complete change.'),
    scope: scopeSchema.optional().describe('Absent: `once`.'),
    plan: z.string().optional().describe('The plan as the user edited it. Absent: as it was presented.'),
    content: inputContentSchema.optional().describe('The answer to a question with fields.'),
    remember: rememberedSchema
      .optional()
      .describe('What the answer applies to from now on, for a scope beyond `once`.'),
  })
  .describe('An approval was answered. It has exactly one answer.');

export const approvalChanged = z
  .object({
    type: z.literal('approval.changed'),
    approval: z.string(),
    scope: scopeSchema.describe('`once`: it covers no further call.'),
    remember: rememberedSchema
      .optional()
      .describe('What it applies to from now on, for a scope beyond `once`: the same that an answer would have had.'),
    by: z.string().describe('The door that changed it.'),
  })
  .describe('The scope of a given approval was changed later: it was revoked, or remembered.');

export const grantChanged = z
  .object({
    type: z.literal('grant.changed'),
    grant: grantSchema,
    reason: z.string(),
    by: z.string().optional().describe('The door that changed it.'),
  })
  .describe('The authority of the session changed.');

export const grantEscalated = z
  .object({
    type: z.literal('grant.escalated'),
    ...run,
    approval: z.string().describe('The approval that gave it.'),
    ...escalationSchema.shape,
    by: z.string().describe('The door that answered.'),
  })
  .describe('A user gave a child session more authority for a limited time.');
