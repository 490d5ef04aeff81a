import type { Answer } from './answer.ts';
import { toAnthropicError, toAnthropicErrorFrame, toAnthropicFrames, toAnthropicMessage } from './anthropic-wire.ts';
import type { Conversation } from './conversation.ts';
import { toOpenaiCompletion, toOpenaiError, toOpenaiErrorFrame, toOpenaiFrames } from './openai-wire.ts';
import { toResponse, toResponsesErrorFrame, toResponsesFrames } from './responses-wire.ts';
import type { ScriptedWire } from './wire.ts';

/** The format of answers and failures of one wire. */
export interface PlayedWire {
  /** Server-sent events, text in pieces of `chunk` characters. */
  toFrames: (answer: Answer, conversation: Conversation, chunk: number) => Iterable<string>;
  /** One JSON document. */
  toDocument: (answer: Answer) => unknown;
  /** The body of an HTTP status. */
  toError: (status: number, message: string) => unknown;
  /** An event in mid-stream. */
  toErrorFrame: (status: number, message: string) => string;
}

export const PLAYED_WIRES: Readonly<Record<ScriptedWire, PlayedWire>> = {
  anthropic: {
    toFrames: (answer, _conversation, chunk) => toAnthropicFrames(answer, chunk),
    toDocument: toAnthropicMessage,
    toError: toAnthropicError,
    toErrorFrame: toAnthropicErrorFrame,
  },
  openai: {
    toFrames: (answer, { includeUsage }, chunk) => toOpenaiFrames(answer, chunk, includeUsage),
    toDocument: toOpenaiCompletion,
    toError: toOpenaiError,
    toErrorFrame: toOpenaiErrorFrame,
  },
  responses: {
    toFrames: (answer, _conversation, chunk) => toResponsesFrames(answer, chunk),
    toDocument: toResponse,
    toError: toOpenaiError,
    toErrorFrame: toResponsesErrorFrame,
  },
};
