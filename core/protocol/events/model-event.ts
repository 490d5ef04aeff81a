import { z } from 'zod';
import { effortLevelSchema } from '../settings/sampling.ts';
import { reviewSchema } from '../authority/review.ts';
import { run, turn, usd } from './event-fields.ts';
import { modelFailureCauseSchema, modelFailureCodeSchema, stopReasonSchema } from './stop-reason.ts';
import { usageSchema } from './usage.ts';

const priceSchema = z
  .object({ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() })
  .describe('US dollars per million tokens.');

/** The part of a budget that is reserved for a request before it is sent: the prompt and the longest answer. */
export const reservedSchema = z.object({ tokens: z.int(), usd });
export type Reserved = z.infer<typeof reservedSchema>;

const reserved = reservedSchema.describe('Reserved for this request: the highest cost, with an empty prompt cache.');
/** @see {@link modelAttempted} */
export const held = reservedSchema
  .optional()
  .describe(
    'What the work that was not streamed, such as hidden reasoning, may have cost in addition. It counts against the limits until the session is closed.',
  );
/** @see {@link modelAttempted} */
export const estimated = z
  .boolean()
  .optional()
  .describe('True: the provider reported no usage or an impossible one, and Klaus counted bytes instead.');
/** Sizes of a model as a server named them in an error. They apply to this model at this server. */
export const learnedSizesSchema = z.object({
  contextWindow: z.int().optional().describe('Tokens of prompt and answer together.'),
  maxOutputTokens: z.int().optional().describe('Tokens of one answer.'),
  server: z.string().optional().describe('Scheme, host and port of the server.'),
});
export type LearnedSizes = z.infer<typeof learnedSizesSchema>;

const purpose = z.enum(['turn', 'compaction', 'title', 'review', 'search', 'program']);
const request = z
  .string()
  .optional()
  .describe('Id of a request of a wrapped program, which can have several at the same time.');

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
        maxOutputTokens: z.int().describe('Largest number of tokens of an answer, without the limits of the session.'),
        prices: z.array(z.object({ above: z.number(), price: priceSchema })).describe('Price steps by prompt tokens.'),
        efforts: z
          .array(effortLevelSchema)
          .optional()
          .describe('Levels of effort that the model has. Only in a session with an effort or a temperature.'),
        maxTemperature: z
          .number()
          .optional()
          .describe('Highest temperature that the model accepts. Only in a session with an effort or a temperature.'),
      })
      .optional()
      .describe('The catalog entry of the model, so that a replay decides with the same figures.'),
  })
  .describe('A request to the model is about to be sent.');

export const modelRequested = z
  .object({
    type: z.literal('model.requested'),
    ...run,
    purpose,
    turn: z.int(),
    model: z.string(),
    attempt: z.int().describe('From 1.'),
    request,
    requestHash: z.string().describe('As in turn.started.'),
    reserved,
  })
  .describe(
    'A request to the model that has no turn.started is about to be sent: for a title, for a compaction, for a reviewer, for a search of the web, as a retry of a turn, or by a wrapped program.',
  );

export const modelAttempted = z
  .object({
    type: z.literal('model.attempted'),
    ...run,
    purpose,
    turn: z.int(),
    model: z.string(),
    attempt: z.int().describe('From 1.'),
    request,
    outcome: z.union([z.literal('ok'), z.literal('cancelled'), modelFailureCodeSchema]),
    status: z.int().optional().describe('HTTP status.'),
    message: z.string().optional().describe('What the server said, or how the network failed.'),
    cause: modelFailureCauseSchema.optional().describe('The cause, if the server named it.'),
    body: z.string().optional().describe('The body of an error as the server sent it, cut.'),
    sizes: learnedSizesSchema
      .optional()
      .describe('Sizes of the model that the error names. Later requests keep to them.'),
    maxAnswerTokens: z
      .int()
      .optional()
      .describe('Tokens of the answer for which the server has room: an answer of the requested length is too long.'),
    fallback: z
      .object({
        model: z.string().describe('Full name.'),
        until: z
          .number()
          .optional()
          .describe('Unix milliseconds from which the model of the session is tried again. Absent: it is not.'),
      })
      .optional()
      .describe('The model that answers instead from now on. Absent: none.'),
    retryInMs: z.number().optional().describe('Milliseconds until the retry. Absent: there is no retry.'),
    waitUntil: z.number().optional().describe('Unix milliseconds until which this outage is retried.'),
    usage: usageSchema.describe(
      'What was used. For an answer that was cancelled or broke off: the prompt and the streamed output. For an abandoned request: what was reserved.',
    ),
    usd,
    held,
    estimated,
    review: reviewSchema
      .omit({ usd: true })
      .extend({
        contentHash: z.string().describe('SHA-256 of what was reviewed: the same content is not reviewed again.'),
      })
      .optional()
      .describe('The verdict of a reviewer that ends with this request.'),
  })
  .describe('One HTTP request to a model ended, with or without success. Every used token is in one of these events.');

export const turnFinished = z
  .object({
    type: z.literal('turn.finished'),
    ...turn,
    stopReason: stopReasonSchema,
    empty: z.boolean().optional().describe('True when the answer has neither text nor a call.'),
  })
  .describe('The model answered. Its message is in the log.');
