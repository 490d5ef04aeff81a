import { z } from 'zod';
import { blobSchema } from './blob.ts';
import { providerStateSchema } from './provider-state.ts';

const providerState = providerStateSchema.optional();

export const textPartSchema = z.object({ type: z.literal('text'), text: z.string(), providerState });

export const imagePartSchema = z
  .object({
    type: z.literal('image'),
    mediaType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    data: z.string().describe('Base64.'),
  })
  .describe('An image, for models that accept images.');

export const filePartSchema = z
  .object({
    type: z.literal('file'),
    name: z.string(),
    mediaType: z.string(),
    text: z.string().optional(),
    blob: blobSchema.optional(),
  })
  .describe('A file that the user attached: its text, or its blob if it is not text.');

export const thinkingPartSchema = z
  .object({
    type: z.literal('thinking'),
    text: z.string(),
    signature: z.string().optional().describe('Of a former version, which had no `providerState`.'),
    encrypted: z.string().optional().describe('Of a former version, which had no `providerState`.'),
    providerState,
  })
  .describe('Reasoning of the model.');

export const callPartSchema = z.object({
  type: z.literal('call'),
  id: z.string().describe('Id of the call from the provider, unique in the session.'),
  name: z.string(),
  input: z.unknown().describe('The parsed arguments; a string when they were not valid JSON.'),
  redacted: z
    .boolean()
    .optional()
    .describe('True when redaction changed the input. After a crash such a call needs an approval and is not run.'),
  providerState,
});

export const resultPartSchema = z.object({
  type: z.literal('result'),
  call: z.string().describe('Id of the call.'),
  text: z.string(),
  isError: z.boolean(),
});

export const partSchema = z.discriminatedUnion('type', [
  textPartSchema,
  imagePartSchema,
  filePartSchema,
  thinkingPartSchema,
  callPartSchema,
  resultPartSchema,
]);

export type TextPart = z.infer<typeof textPartSchema>;
export type ImagePart = z.infer<typeof imagePartSchema>;
export type FilePart = z.infer<typeof filePartSchema>;
export type ThinkingPart = z.infer<typeof thinkingPartSchema>;
export type CallPart = z.infer<typeof callPartSchema>;
export type ResultPart = z.infer<typeof resultPartSchema>;
export type Part = z.infer<typeof partSchema>;

/**
 * The origin of a message. `context` is untrusted text of the workspace (AGENTS.md, CLAUDE.md). `engine` is a message
 * of Klaus itself, such as the request to continue an answer that was cut off. `shell` is a command of the user: it
 * contains the call, and the model gets a message of the engine with the command and its output.
 */
export const originSchema = z.enum(['user', 'steer', 'model', 'context', 'engine', 'tools', 'shell']);

export const messageSchema = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  origin: originSchema,
  parts: z.array(partSchema),
  answeredBy: z
    .string()
    .optional()
    .describe('Of an answer with a `providerState`: the model and its server, such as `openai/m at localhost/v1`.'),
  entries: z
    .array(z.string())
    .optional()
    .describe('For an agent that another program drives: the ids that it gave to the text of this message.'),
});

/** One message of the conversation. It is immutable once logged, so adapters may cache by identity. */
export type Message = z.infer<typeof messageSchema>;

/** All text of a message, parts joined by newlines. */
export function toText(message: Pick<Message, 'parts'>): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
