import type { Answer } from './answer.ts';
import * as anthropic from './anthropic-wire.ts';
import type { Conversation } from './conversation.ts';
import * as openai from './openai-wire.ts';
import * as responses from './responses-wire.ts';
import type { ScriptedWire } from './wire.ts';

/** The format of answers and failures of one wire. */
export interface PlayedWire {
  /** Server-sent events, text in pieces of `chunk` characters. */
  toFrames: (answer: Answer, chunk: number, conversation: Conversation) => Iterable<string>;
  /** One JSON document. */
  toDocument: (answer: Answer) => unknown;
  /** The body of an HTTP status. */
  toError: (status: number, message: string) => unknown;
  /** An event in mid-stream. */
  toErrorFrame: (status: number, message: string) => string;
}

export const PLAYED_WIRES: Readonly<Record<ScriptedWire, PlayedWire>> = { anthropic, openai, responses };
