import { isRecord } from '@klaus/core/protocol';
import {
  beginsAnswer,
  type HistoryItem,
  readAnthropicMessage,
  readOpenaiMessage,
  readResponsesInput,
} from './history-item.ts';
import { toToolOffer, type ToolOffer } from './tool-offer.ts';
import { BadRequest, type Fields, type ScriptedWire, stringOf, textOf } from './wire.ts';

/** The part of a request that scripts use, in any wire format. */
export interface Conversation {
  model: string;
  stream: boolean;
  system: string;
  tools: readonly ToolOffer[];
  /** Whether the provider's own search of the web is among them. */
  search: boolean;
  /** Answers of the model. */
  turn: number;
  /** The newest text from the user: all of it between two answers. Empty when there is none. */
  user: string;
  result: string | undefined;
  /** The results that came after the last answer. */
  newest: readonly { tool: string; text: string }[];
  /** Whether usage is wanted in a stream (chat-completions). */
  includeUsage: boolean;
  /** Whether the client asked for prompt caching. */
  cached: boolean;
  /**
   * What the model would read, in order: system and tools, then each message. `reused` of them were read
   * by the request before this one in the same conversation.
   */
  prompt: { pieces: readonly string[]; reused: number };
}

/** Types of the tool of Anthropic, OpenAI and OpenRouter. */
const SEARCH = /^(?:openrouter:)?web_search(?:_\d{8})?$/;

/** @throws BadRequest */
export function toConversation(wire: ScriptedWire, body: unknown): Conversation {
  if (!isRecord(body)) throw new BadRequest('The body is not a JSON object.');
  const messages = wire === 'responses' ? toInput(body) : body['messages'];
  if (!Array.isArray(messages) || !messages.every(isRecord))
    throw new BadRequest(`${wire === 'responses' ? 'input' : 'messages'}: must be a list of objects`);
  if (typeof body['model'] !== 'string') throw new BadRequest('model: must be a text');
  const items = readItems(wire, messages);
  const head = wire === 'responses' ? body['instructions'] : body['system'];
  const systems = [textOf(head), ...items.flatMap((item) => (item.kind === 'system' ? [item.text] : []))];
  const names = new Map(items.flatMap((item) => (item.kind === 'call' ? [[item.id, item.tool] as const] : [])));
  const lastAnswer = items.findLastIndex((item) => item.kind === 'assistant');
  const newest = items.slice(lastAnswer + 1).flatMap((item) => {
    return item.kind === 'result' ? [{ tool: names.get(item.id) ?? '', text: item.text }] : [];
  });
  const options = body['stream_options'];
  const pieces = [JSON.stringify([head, body['tools']]), ...messages.map((message) => JSON.stringify(message))];
  const tools = Array.isArray(body['tools']) ? body['tools'] : [];
  return {
    model: body['model'],
    stream: body['stream'] === true,
    system: systems.filter((text) => text !== '').join('\n'),
    tools: tools.map(toToolOffer),
    search: tools.some((tool) => isRecord(tool) && SEARCH.test(stringOf(tool['type'], ''))),
    turn: items.filter((item) => item.kind === 'assistant').length,
    user: toNewestUserText(items),
    result: items.findLast((item) => item.kind === 'result')?.text,
    newest,
    includeUsage: isRecord(options) && options['include_usage'] === true,
    cached: 'cache_control' in body || pieces.some((piece) => piece.includes('"cache_control"')),
    prompt: { pieces, reused: 1 + findLastAnswer(wire, messages) },
  };
}

/** The input of a Responses request as a list; text alone is one message of the user. */
function toInput(body: Fields): unknown {
  // The script uses only the request itself.
  for (const key of ['previous_response_id', 'conversation']) {
    if (body[key] != null) throw new BadRequest(`${key}: this server stores no responses; send the complete input`);
  }
  return typeof body['input'] === 'string' ? [{ role: 'user', content: body['input'] }] : body['input'];
}

function readItems(wire: ScriptedWire, messages: readonly Fields[]): HistoryItem[] {
  switch (wire) {
    case 'anthropic':
      return messages.flatMap(readAnthropicMessage);
    case 'openai':
      return messages.flatMap(readOpenaiMessage);
    case 'responses':
      return readResponsesInput(messages);
  }
}

/** Where the last answer begins; -1 when there is none. */
function findLastAnswer(wire: ScriptedWire, messages: readonly Fields[]): number {
  if (wire === 'responses') return messages.findLastIndex((_item, at) => beginsAnswer(messages, at));
  return messages.findLastIndex((message) => message['role'] === 'assistant');
}

function toNewestUserText(items: readonly HistoryItem[]): string {
  const read = items.slice(0, items.findLastIndex(({ kind }) => kind === 'user') + 1);
  const answer = read.findLastIndex(({ kind }) => kind === 'assistant');
  const texts = read.slice(answer + 1).flatMap((item) => (item.kind === 'user' ? [item.text] : []));
  return texts.join('\n');
}
