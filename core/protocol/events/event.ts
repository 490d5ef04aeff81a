import { z } from 'zod';
import { boundScriptSchema, hunkAnswerSchema, rememberedSchema, scopeSchema } from '../authority/approval.ts';
import { fileChangeSchema } from '../changes/change.ts';
import { contextPinned, contextUnpinned } from './context-event.ts';
import { run, turn } from './event-fields.ts';
import { processChanged } from './process-event.ts';
import { evidenceVerified, workspaceCommitted, workspaceRestored, workspaceSnapshotted } from './workspace-event.ts';
import { resumeSchema } from '../authority/effect.ts';
import { claimSchema, claimStatusSchema, evidenceSchema } from './evidence.ts';
import { grantSchema } from '../authority/grant.ts';
import { hunkSchema } from '../changes/hunk.ts';
import { messageSchema } from '../messages/message.ts';
import { onAskSchema } from '../authority/mode.ts';
import { sessionChanged, sessionClosed, sessionOpened } from './session-event.ts';
import { modelFailureCodeSchema, stopReasonSchema } from './stop-reason.ts';
import { toolResultSchema } from '../messages/tool-result.ts';
import { treeIdSchema } from '../changes/tree-change.ts';
import { usageSchema } from './usage.ts';
import { findingSchema, verdictSchema } from '../authority/verdict.ts';

/** Version of the event shapes. A change of meaning raises it and adds an upcaster. */
export const EVENT_VERSION = 3;

/** `prev` of the first record of a session. */
export const FIRST_PREV = '0'.repeat(64);

const call = {
  ...turn,
  call: z.string().describe("The call's id, as in the message that made it."),
  index: z.int().describe('Position of the call in its message, from 0.'),
  name: z.string().describe('The tool.'),
};

const priceSchema = z
  .object({ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() })
  .describe('US dollars per million tokens.');

const usd = z.number().nullable().describe('US dollars; null when the price is not known.');

/** What is set aside for a request before it is sent: prompt and whole answer. */
export const reservedSchema = z.object({ tokens: z.int(), usd });
export type Reserved = z.infer<typeof reservedSchema>;

const reserved = reservedSchema.describe('Set aside for this request: the worst case with a cold cache.');
const purpose = z.enum(['turn', 'compaction', 'title']);

export const runStarted = z
  .object({
    type: z.literal('run.started'),
    ...run,
    trigger: z.enum(['prompt', 'resume']),
    onAsk: onAskSchema,
    waitForModelMs: z.number().optional().describe('For how long an outage of the model is waited out.'),
  })
  .describe('A run began: one prompt, worked on until the model ends or something stops it.');

export const outcomeSchema = z.enum(['done', 'failed', 'model_failed', 'limit', 'denied', 'cancelled']);
export type Outcome = z.infer<typeof outcomeSchema>;

export const runFinished = z
  .object({
    type: z.literal('run.finished'),
    ...run,
    outcome: outcomeSchema,
    reason: z.string().describe('One sentence for the user.'),
    usage: usageSchema,
    usd,
    turns: z.int(),
    toolCalls: z.int(),
    evidence: z.array(evidenceSchema).describe('The checks that ran, in their order.'),
    tree: treeIdSchema.optional().describe('The workspace at the end, with which the checks were compared.'),
    claim: claimStatusSchema
      .optional()
      .describe('What the success that the last words claim is worth: the worst of `claims`.'),
    claims: z.array(claimSchema).optional().describe('Absent: nothing was claimed.'),
    error: z
      .object({ code: z.string().describe('Of `ERROR_CODES`.'), hint: z.string() })
      .optional()
      .describe('What Klaus itself failed at, with what the user can do.'),
    by: z.string().optional().describe('Who stopped the run: a door, as of an answer. Absent: nobody did.'),
    limit: z
      .object({
        limit: z.enum(['tokens', 'usd', 'toolCalls', 'turns']),
        used: z.number(),
        cap: z.number(),
        offer: z.number(),
      })
      .optional()
      .describe('The limit that ended the run, with a cap that would let it go on.'),
  })
  .describe('The run ended. `done` is the only success.');

export const turnStarted = z
  .object({
    type: z.literal('turn.started'),
    ...turn,
    model: z.string(),
    requestHash: z.string().describe('SHA-256 over system, tools and history: the same request has the same hash.'),
    reserved,
    modelInfo: z
      .object({
        contextWindow: z.int(),
        maxOutputTokens: z.int().describe('Tokens that an answer may have, before any limit of the session.'),
        prices: z.array(z.object({ above: z.number(), price: priceSchema })).describe('Steps by prompt tokens.'),
      })
      .optional()
      .describe('What was known of the model, so that a replay decides from the same figures.'),
  })
  .describe('A model request is about to be sent.');

export const modelRequested = z
  .object({
    type: z.literal('model.requested'),
    ...run,
    purpose,
    turn: z.int(),
    model: z.string(),
    attempt: z.int().describe('From 1.'),
    requestHash: z.string().describe('As in turn.started.'),
    reserved,
  })
  .describe(
    'A request that turn.started does not stand for is about to be sent: for a title or a compaction, or once more for a turn.',
  );

export const modelAttempted = z
  .object({
    type: z.literal('model.attempted'),
    ...run,
    purpose,
    turn: z.int(),
    model: z.string(),
    attempt: z.int().describe('From 1.'),
    outcome: z.union([z.literal('ok'), z.literal('cancelled'), modelFailureCodeSchema]),
    status: z.int().optional().describe('HTTP status.'),
    message: z.string().optional(),
    retryInMs: z.number().optional().describe('Present when another attempt follows.'),
    waitUntil: z.number().optional().describe('Up to when, in Unix milliseconds, this outage is waited out.'),
    usage: usageSchema.describe('What was used or, for an abandoned request, what was reserved.'),
    usd,
  })
  .describe('One HTTP request to a model ended, well or not. Every spent token is in one of these.');

export const turnFinished = z
  .object({
    type: z.literal('turn.finished'),
    ...turn,
    stopReason: stopReasonSchema,
    empty: z.boolean().optional().describe('True when the answer had neither text nor a call.'),
  })
  .describe('The model answered; its message is in the log.');

export const messageAdded = z
  .object({
    type: z.literal('message.added'),
    ...run,
    turn: z.int().describe('The turn that made it or, for user text, the last turn before it.'),
    message: messageSchema,
  })
  .describe('A message entered the history. Results of calls enter it by fold, in call order, from tool.finished.');

export const gateDecided = z
  .object({
    type: z.literal('gate.decided'),
    ...call,
    attempt: z.int().describe('The attempt that this judges, from 1.'),
    verdict: verdictSchema,
    rule: z.string(),
    reason: z.string(),
    findings: z.array(findingSchema).describe('What every rule said.'),
    callHash: z.string().describe('SHA-256 of tool name and input.'),
    phase: z
      .literal('changes')
      .optional()
      .describe('Present when what a command changed on its layer was judged, before any of it is kept.'),
  })
  .describe('The gate judged a call before its effect, or what it changed before that is kept.');

export const toolStarted = z
  .object({
    type: z.literal('tool.started'),
    ...call,
    attempt: z.int().describe('From 1; more than 1 after a crash.'),
    resume: resumeSchema,
    changes: z.array(fileChangeSchema).describe('What the call is about to change, where known beforehand.'),
    diff: z.string().optional().describe('Unified diff of those changes, where the tool knows it beforehand.'),
    result: z
      .string()
      .optional()
      .describe('What the model is told once the changes are in place: lets a probe after a crash answer alike.'),
    background: z
      .literal(true)
      .optional()
      .describe('The call starts a background process: whether it did is known from the files of that process.'),
    mark: z.string().optional().describe("The moment on the workspace's own clock, to find what changed since."),
  })
  .describe('The intent: durable before the effect begins.');

export const toolFinished = z
  .object({ type: z.literal('tool.finished'), ...call, ...toolResultSchema.shape })
  .describe('The result of a call.');

export const approvalAsked = z
  .object({
    type: z.literal('approval.asked'),
    ...run,
    approval: z.string(),
    turn: z.int(),
    subject: z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('call'),
        call: z.string(),
        index: z.int(),
        name: z.string(),
        callHash: z.string(),
        before: z.array(z.object({ path: z.string(), hash: z.string().nullable() })),
        grantHash: z.string(),
        diff: z.string().optional().describe('Unified diff of the change.'),
        command: z.string().optional(),
        scripts: z
          .array(boundScriptSchema)
          .optional()
          .describe('Files that the command runs; another content asks again.'),
        rivals: z
          .array(z.string())
          .optional()
          .describe('Background processes that can change these files while the command runs; another one asks again.'),
        hunks: z.array(hunkSchema).optional().describe('The parts of the change that can be answered one by one.'),
        remember: rememberedSchema.optional().describe('What an answer with a scope beyond `once` will hold for.'),
      }),
      z.object({
        kind: z.literal('changes'),
        call: z.string(),
        index: z.int(),
        name: z.string(),
        command: z.string().optional(),
        from: treeIdSchema.describe('The workspace when the command began.'),
        to: treeIdSchema.describe('The same as the command left it on its layer.'),
        files: z.int().describe('Paths that differ.'),
        diff: z.string(),
        hunks: z.array(hunkSchema),
        result: toolResultSchema.describe('What the command gave, kept until the question is answered.'),
      }),
      z.object({
        kind: z.literal('limit'),
        limit: z.enum(['tokens', 'usd', 'toolCalls', 'turns']),
        used: z.number(),
        cap: z.number(),
        offer: z.number().describe('The cap that an approval sets.'),
      }),
    ]),
    title: z.string().describe('The question in one line.'),
    reason: z.string().describe('Why it is asked.'),
    expiresAt: z.number().describe('Unix milliseconds.'),
  })
  .describe(
    'A human is asked. Bound to the call, the files it would change, the scripts it runs and the grant; a mismatch asks again.',
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
        'Who answered: a door (`cli`), for the server with what came through it (`server/page`), or `klaus` for what the engine settles itself.',
      ),
    note: z.string().optional(),
    hunks: hunkAnswerSchema.optional().describe('Absent: the whole change.'),
    scope: scopeSchema.optional().describe('Absent: once.'),
    remember: rememberedSchema.optional().describe('What holds from now on, for a scope beyond `once`.'),
  })
  .describe('The question was settled, exactly once.');

export const grantChanged = z
  .object({
    type: z.literal('grant.changed'),
    grant: grantSchema,
    reason: z.string(),
    by: z.string().optional().describe('Who changed it: a door.'),
  })
  .describe('The authority of the session changed.');

export const contextCompacted = z
  .object({
    type: z.literal('context.compacted'),
    ...run,
    turn: z.int(),
    summary: z.string(),
    firstKept: z.string().describe('Id of the first message that stays as it is.'),
    dropped: z
      .int()
      .describe('Messages that the summary replaces; 0 when nothing could be left out, which ends the run.'),
  })
  .describe('The head of the history was replaced by a summary. The log keeps every word.');

export const usageCounted = z
  .object({
    type: z.literal('usage.counted'),
    ...run,
    limit: z.enum(['tokens', 'usd', 'toolCalls', 'turns']),
    percent: z.number(),
    used: z.number(),
    cap: z.number(),
    cost: usd,
  })
  .describe('A limit passed 80 %.');

export const notice = z
  .object({
    type: z.literal('notice'),
    run: z.string().optional(),
    level: z.enum(['info', 'warn', 'error']),
    text: z.string(),
  })
  .describe('Something the user should know that changes no state.');

export const eventBodySchema = z.discriminatedUnion('type', [
  sessionOpened,
  sessionChanged,
  sessionClosed,
  runStarted,
  runFinished,
  turnStarted,
  modelRequested,
  modelAttempted,
  turnFinished,
  messageAdded,
  gateDecided,
  toolStarted,
  toolFinished,
  approvalAsked,
  approvalAnswered,
  grantChanged,
  workspaceSnapshotted,
  workspaceRestored,
  workspaceCommitted,
  evidenceVerified,
  contextCompacted,
  contextPinned,
  contextUnpinned,
  processChanged,
  usageCounted,
  notice,
]);

export const envelopeSchema = z.object({
  v: z.literal(EVENT_VERSION),
  seq: z.int().describe('From 1, without gaps, one appender per session.'),
  prev: z.string().describe('SHA-256 of the previous record; 64 zeros for the first.'),
  session: z.string(),
  at: z.number().describe('Unix milliseconds.'),
});

export const eventSchema = z.intersection(envelopeSchema, eventBodySchema);

/** What the loop says; the store adds the envelope. */
export type EventBody = z.infer<typeof eventBodySchema>;
export type EventType = EventBody['type'];
export type Envelope = z.infer<typeof envelopeSchema>;
/** A durable fact. */
export type Event = Envelope & EventBody;
export type EventOf<T extends EventType> = Envelope & Extract<EventBody, { type: T }>;
