import type { Part } from '@klaus/core/protocol';
import { createAnswerReader as createMessagesReader } from '../anthropic/answer-stream.ts';
import { createAnswerReader as createChatReader } from '../openai/answer-stream.ts';
import { createResponseReader } from '../openai/responses-stream.ts';
import type { ReadOptions } from '../wire/http-model.ts';
import type { AnswerReader } from '../wire/answer-feed.ts';
import { messagesShape } from './messages-shape.ts';
import { chatShape, responsesShape } from './openai-shapes.ts';
import type { Shape } from './request-shape.ts';

export type Json = Record<string, unknown>;

/** The result of a tool call, as a later request contains it. */
export interface SentResult {
  id: string;
  output: string;
  isError: boolean;
}

/** A text of the user in the history of a request. */
export interface SentPrompt {
  /** Number of messages before it. */
  position: number;
  text: string;
}

/** The parts of an API that the proxy needs to know. */
export interface ProxyWire {
  /** What the provider handles without the network. */
  shape: Shape;
  createReader(options: ReadOptions): AnswerReader;
  /** The most tokens of the answer that a request allows; undefined: as many as the model can. */
  maxOutputOf(body: Json): number | undefined;
  /** Limits the answer of a request. */
  limitOutput(body: Json, tokens: number): void;
  /** Asks for what the proxy has to know of the answer. */
  prepare?(body: Json): void;
  /** The results of tool calls in the history of a request. */
  resultsOf(body: Json): SentResult[];
  /** What the user said after the last answer in the history of a request. */
  promptsOf(body: Json): SentPrompt[];
  /** An error that the program shows and does not retry. @param type Of the Messages API. */
  toError: (message: string, type?: 'invalid_request_error' | 'permission_error') => Json;
}

const MESSAGES: ProxyWire = {
  shape: messagesShape,
  // Readers are loaded when they are used.
  createReader: (options) => createMessagesReader(options),
  maxOutputOf: ({ max_tokens: tokens }) => toNumber(tokens),
  limitOutput(body, tokens) {
    body['max_tokens'] = tokens;
    const thinking = body['thinking'] as { budget_tokens?: number } | undefined;
    // The API requires a longer answer than the thinking in it.
    if (thinking?.budget_tokens !== undefined && thinking.budget_tokens >= tokens) delete body['thinking'];
  },
  resultsOf: ({ messages }) =>
    toList(messages)
      .flatMap(({ content }) => toList(content))
      .filter(({ type }) => type === 'tool_result')
      .map((block) => toResult(block['tool_use_id'], block['content'], block['is_error'] === true)),
  promptsOf: ({ messages }) => toPrompts(toList(messages)),
  toError: (message, type = 'invalid_request_error') => ({ type: 'error', error: { type, message } }),
};

const toOpenaiError = (message: string): Json => ({
  error: { message, type: 'invalid_request_error', param: null, code: 'klaus_refused' },
});

const CHAT: ProxyWire = {
  shape: chatShape,
  createReader: (options) => createChatReader({ ...options, exactCost: false }),
  maxOutputOf: (body) => toNumber(body['max_completion_tokens']) ?? toNumber(body['max_tokens']),
  limitOutput(body, tokens) {
    body['max_tokens' in body ? 'max_tokens' : 'max_completion_tokens'] = tokens;
  },
  prepare(body) {
    if (body['stream'] === true) body['stream_options'] = { ...(body['stream_options'] as Json), include_usage: true };
  },
  resultsOf: ({ messages }) =>
    toList(messages)
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id: id, content }) => toResult(id, content)),
  promptsOf: ({ messages }) => toPrompts(toList(messages)),
  toError: toOpenaiError,
};

const RESPONSES: ProxyWire = {
  shape: responsesShape,
  createReader: (options) => createResponseReader(options),
  maxOutputOf: ({ max_output_tokens: tokens }) => toNumber(tokens),
  limitOutput(body, tokens) {
    body['max_output_tokens'] = tokens;
  },
  resultsOf: ({ input }) =>
    toList(input)
      .filter(({ type }) => String(type).endsWith('_call_output'))
      .map(({ call_id: id, output }) => toResult(id, output)),
  promptsOf: ({ input }) => (typeof input === 'string' ? [{ position: 0, text: input }] : toPrompts(toList(input))),
  toError: toOpenaiError,
};

/** The paid requests, by the end of their path. */
export const PROXY_WIRES: Readonly<Record<string, ProxyWire>> = {
  '/messages': MESSAGES,
  '/chat/completions': CHAT,
  '/responses': RESPONSES,
};

/** Requests that cost nothing and have the body of a paid one. */
export const FREE_WIRES: Readonly<Record<string, ProxyWire>> = { '/messages/count_tokens': MESSAGES };

/** Text that a program adds to that of the user: it is in a tag, as `<system-reminder>` or `<environment_context>`. */
const OF_PROGRAM = /^\s*<([a-z][\w-]*)[^>]*>[^]*<\/\1>\s*$/i;

function toResult(id: unknown, content: unknown, isError = false): SentResult {
  return { id: String(id), output: toContentText(content), isError };
}

/** Text blocks of users after the last message of another kind. */
function toPrompts(messages: readonly Json[]): SentPrompt[] {
  const before = messages.findLastIndex(({ role }) => role !== 'user');
  return messages.slice(before + 1).flatMap(({ content }, index): SentPrompt[] => {
    const blocks = typeof content === 'string' ? [{ text: content }] : toList(content);
    return blocks.flatMap(({ text }) =>
      typeof text === 'string' && !OF_PROGRAM.test(text) ? [{ position: before + 1 + index, text }] : [],
    );
  });
}

function toContentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return toList(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}

function toList(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((item): item is Json => typeof item === 'object' && item !== null) : [];
}

function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

export interface ProxyRequest {
  /** True: the request offers tools, so that it belongs to the work and not to a title. */
  hasTools: boolean;
  prompts: readonly SentPrompt[];
}

/** One answered request of a program. */
export interface ProxyExchange extends Pick<ProxyRequest, 'hasTools'> {
  results: readonly SentResult[];
  parts: readonly Part[];
}
