import { z } from 'zod';
import { blobSchema } from './blob.ts';

export const textPartSchema = z.object({ type: z.literal('text'), text: z.string() });

export const imagePartSchema = z
  .object({
    type: z.literal('image'),
    mediaType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    data: z.string().describe('Base64.'),
  })
  .describe('An image, for models that see.');

export const filePartSchema = z
  .object({
    type: z.literal('file'),
    name: z.string(),
    mediaType: z.string(),
    text: z.string().optional(),
    blob: blobSchema.optional(),
  })
  .describe('A file attached by the user: its text, or its blob when it is not text.');

export const thinkingPartSchema = z
  .object({
    type: z.literal('thinking'),
    text: z.string(),
    signature: z
      .string()
      .optional()
      .describe('Must go back unchanged, so a part that needs redaction is dropped whole.'),
    encrypted: z.string().optional().describe('Opaque reasoning that the provider encrypted; sent back as it came.'),
  })
  .describe('Reasoning shown by the provider.');

export const callPartSchema = z.object({
  type: z.literal('call'),
  id: z.string().describe("The provider's id of the call, unique in the session."),
  name: z.string(),
  input: z.unknown().describe('The parsed arguments; a string when the model sent something that is not JSON.'),
  redacted: z
    .boolean()
    .optional()
    .describe('True when redaction changed the input: after a crash such a call is asked about, never run.'),
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
 * Who caused a message. `context` is untrusted text found in the workspace (AGENTS.md, CLAUDE.md);
 * `engine` is a line of Klaus's own, such as "your reply was cut, go on".
 */
export const originSchema = z.enum(['user', 'steer', 'model', 'context', 'engine', 'tools']);

export const messageSchema = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  origin: originSchema,
  parts: z.array(partSchema),
});

/** One message of the conversation. Immutable once logged: adapters may cache by identity. */
export type Message = z.infer<typeof messageSchema>;

/** All text of a message, parts joined by newlines. */
export function toText(message: Pick<Message, 'parts'>): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
