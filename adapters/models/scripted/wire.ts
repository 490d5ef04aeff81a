import { isRecord } from '@klaus/core/protocol';

/** The wire formats that the server speaks: Anthropic Messages, OpenAI chat-completions and OpenAI Responses. */
export type ScriptedWire = 'anthropic' | 'openai' | 'responses';

/** A body that is not of the wire's format; the server answers 400 with this message. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
}

export type Fields = Readonly<Record<string, unknown>>;

/** A text, or the text parts of a list. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part) => (isRecord(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n');
}

export function stringOf(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
