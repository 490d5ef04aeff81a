import type { ModelRequest } from '@klaus/core/agent';
import type { Part } from '@klaus/core/protocol';

/** Tokens that a request has at least, with any tokenizer. */
export interface PromptBound {
  /** Of instructions and messages, without images and reasoning, which a server may leave out. */
  text: number;
  /** Of the offered tools. Templates write schemas in different forms. */
  tools: number;
}

/** No tokenizer needs fewer tokens for a text of natural language or code. */
const BYTES_PER_TOKEN = 8;
const BYTES_PER_TOKEN_OF_TOOLS = 12;
/** Scripts whose tokens have few characters: kana, Han and Hangul. A character has 3 bytes. */
const DENSE = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;
/** Tokenizers have long tokens for white space and for repeated characters. */
const REPEATED = /(.)\1{3,}/gsu;

export function toPromptBound({ system, messages, tools }: ModelRequest): PromptBound {
  const bytes = messages.reduce((sum, message) => sum + countMessage(message), countBytes(system));
  return {
    text: Math.floor(bytes / BYTES_PER_TOKEN),
    tools: Math.floor(countTools(tools) / BYTES_PER_TOKEN_OF_TOOLS),
  };
}

/** The instructions, and one message with the text of all others, for a server that counts the tokens of messages. */
export function toPlainMessages({ system, messages }: ModelRequest): { role: string; content: string }[] {
  const content = messages.flatMap(({ parts }) => parts.map(toText)).join('\n');
  return [...(system === '' ? [] : [{ role: 'system', content: system }]), { role: 'user', content }];
}

/** Messages are immutable, and the history is long. */
const counted = new WeakMap<object, number>();

function countMessage(message: ModelRequest['messages'][number]): number {
  let bytes = counted.get(message);
  if (bytes === undefined) {
    bytes = message.parts.reduce((sum, part) => sum + countBytes(toText(part)), 0);
    counted.set(message, bytes);
  }
  return bytes;
}

function countTools(tools: ModelRequest['tools']): number {
  let bytes = counted.get(tools);
  if (bytes === undefined) {
    const sent = tools.map(({ name, description, inputSchema }) => [name, description, inputSchema]);
    counted.set(tools, (bytes = countBytes(JSON.stringify(sent))));
  }
  return bytes;
}

function toText(part: Part): string {
  if (part.type === 'call') return `${part.name} ${JSON.stringify(part.input ?? null)}`;
  if (part.type === 'thinking' || !('text' in part)) return '';
  return part.text ?? '';
}

/** A letter outside of the dense scripts counts as one byte: common words of many alphabets are one token. */
function countBytes(text: string): number {
  const short = text.replaceAll(/\s+/g, ' ').replaceAll(REPEATED, '$1$1$1');
  return short.length + 2 * (short.match(DENSE)?.length ?? 0);
}
