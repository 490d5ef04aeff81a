/** A request in either wire format, as far as scripts look at it. */
export interface Conversation {
  wire: 'anthropic' | 'openai';
  model: string;
  stream: boolean;
  system: string;
  /** Names of the tools that the request brings. */
  tools: readonly string[];
  /** Assistant messages. */
  turn: number;
  /** The newest text from the user: all of it between two assistant messages. Empty when there is none. */
  user: string;
  /** The newest result of a tool. */
  result: string | undefined;
  /** The results that came after the last assistant message. */
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

/** A body that is not of the wire's format; the server answers 400 with this message. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
}

type Fields = Record<string, unknown>;

/** @throws BadRequest */
export function toConversation(wire: 'anthropic' | 'openai', body: unknown): Conversation {
  if (!isFields(body)) throw new BadRequest('The body is not a JSON object.');
  const messages = body['messages'];
  if (!Array.isArray(messages) || !messages.every(isFields))
    throw new BadRequest('messages: must be a list of objects');
  if (typeof body['model'] !== 'string') throw new BadRequest('model: must be a text');
  const items = wire === 'anthropic' ? messages.flatMap(readAnthropic) : messages.flatMap(readOpenai);
  const systems = [textOf(body['system']), ...items.flatMap((item) => (item.kind === 'system' ? [item.text] : []))];
  const names = new Map(items.flatMap((item) => (item.kind === 'call' ? [[item.id, item.tool] as const] : [])));
  const lastAssistant = items.findLastIndex((item) => item.kind === 'assistant');
  const newest = items.slice(lastAssistant + 1).flatMap((item) => {
    return item.kind === 'result' ? [{ tool: names.get(item.id) ?? '', text: item.text }] : [];
  });
  const options = body['stream_options'];
  const pieces = [
    JSON.stringify([body['system'], body['tools']]),
    ...messages.map((message) => JSON.stringify(message)),
  ];
  return {
    wire,
    model: body['model'],
    stream: body['stream'] === true,
    system: systems.filter((text) => text !== '').join('\n'),
    tools: Array.isArray(body['tools']) ? body['tools'].map(toToolName) : [],
    turn: items.filter((item) => item.kind === 'assistant').length,
    user: toNewestUserText(items),
    result: items.findLast((item) => item.kind === 'result')?.text,
    newest,
    includeUsage: isFields(options) && options['include_usage'] === true,
    cached: 'cache_control' in body || pieces.some((piece) => piece.includes('"cache_control"')),
    prompt: {
      pieces,
      reused: 1 + messages.findLastIndex((message) => message['role'] === 'assistant'),
    },
  };
}

type Item =
  | { kind: 'system' | 'user'; text: string }
  | { kind: 'assistant' }
  | { kind: 'call'; id: string; tool: string }
  | { kind: 'result'; id: string; text: string };

function readAnthropic(message: Fields): Item[] {
  const { role, content } = message;
  if (role === 'system') return [{ kind: 'system', text: textOf(content) }];
  const blocks = Array.isArray(content) ? content.filter(isFields) : [{ type: 'text', text: textOf(content) }];
  const items = blocks.flatMap((block): Item[] => {
    if (block['type'] === 'tool_use') return [{ kind: 'call', id: String(block['id']), tool: String(block['name']) }];
    if (block['type'] === 'tool_result') {
      return [{ kind: 'result', id: String(block['tool_use_id']), text: textOf(block['content']) }];
    }
    if (block['type'] === 'text' && role === 'user') return [{ kind: 'user', text: textOf(block['text']) }];
    return [];
  });
  return role === 'assistant' ? [{ kind: 'assistant' }, ...items] : items;
}

function readOpenai(message: Fields): Item[] {
  const { role, content } = message;
  if (role === 'system' || role === 'developer') return [{ kind: 'system', text: textOf(content) }];
  if (role === 'tool') return [{ kind: 'result', id: String(message['tool_call_id']), text: textOf(content) }];
  if (role !== 'assistant') return [{ kind: 'user', text: textOf(content) }];
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isFields) : [];
  return [
    { kind: 'assistant' },
    ...calls.map((call): Item => {
      const name = isFields(call['function']) ? call['function']['name'] : '';
      return { kind: 'call', id: String(call['id']), tool: String(name) };
    }),
  ];
}

function toNewestUserText(items: readonly Item[]): string {
  const last = items.findLastIndex((item) => item.kind === 'user');
  const texts: string[] = [];
  for (let at = last; at >= 0; at--) {
    const item = items[at]!;
    if (item.kind === 'assistant') break;
    if (item.kind === 'user') texts.unshift(item.text);
  }
  return texts.join('\n');
}

function toToolName(tool: unknown): string {
  if (!isFields(tool)) return '';
  return String(tool['name'] ?? (isFields(tool['function']) ? tool['function']['name'] : ''));
}

/** A text, or the text parts of a list. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part) => (isFields(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n');
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
