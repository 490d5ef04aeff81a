import { isRecord } from '@klaus/core/protocol';
import { type Fields, stringOf, textOf } from './wire.ts';

/** One thing in a history, as far as scripts look at it. */
export type HistoryItem =
  | { kind: 'system' | 'user'; text: string }
  /** The begin of a model's answer. */
  | { kind: 'assistant' }
  | { kind: 'call'; id: string; tool: string }
  | { kind: 'result'; id: string; text: string };

export function readAnthropicMessage(message: Fields): HistoryItem[] {
  const { role, content } = message;
  if (role === 'system') return [{ kind: 'system', text: textOf(content) }];
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [{ type: 'text', text: textOf(content) }];
  const items = blocks.flatMap((block): HistoryItem[] => {
    if (block['type'] === 'tool_use') return [{ kind: 'call', id: String(block['id']), tool: String(block['name']) }];
    if (block['type'] === 'tool_result') {
      return [{ kind: 'result', id: String(block['tool_use_id']), text: textOf(block['content']) }];
    }
    if (block['type'] === 'text' && role === 'user') return [{ kind: 'user', text: textOf(block['text']) }];
    return [];
  });
  return role === 'assistant' ? [{ kind: 'assistant' }, ...items] : items;
}

export function readOpenaiMessage(message: Fields): HistoryItem[] {
  const { role, content } = message;
  if (role === 'system' || role === 'developer') return [{ kind: 'system', text: textOf(content) }];
  if (role === 'tool') return [{ kind: 'result', id: String(message['tool_call_id']), text: textOf(content) }];
  if (role !== 'assistant') return [{ kind: 'user', text: textOf(content) }];
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isRecord) : [];
  return [
    { kind: 'assistant' },
    ...calls.map((call): HistoryItem => {
      const name = isRecord(call['function']) ? call['function']['name'] : '';
      return { kind: 'call', id: String(call['id']), tool: String(name) };
    }),
  ];
}

/** Whether an item of a Responses input is the first that one answer of the model gave. */
export function beginsAnswer(items: readonly Fields[], at: number): boolean {
  return isOutput(items[at]) && !isOutput(items[at - 1]);
}

/** Whether the model said it: what it says comes back as several items in a row. */
function isOutput(item: Fields | undefined): boolean {
  if (item === undefined) return false;
  const type = stringOf(item['type'], 'message');
  return type === 'message' ? item['role'] === 'assistant' : type === 'reasoning' || type.endsWith('_call');
}

export function readResponsesInput(items: readonly Fields[]): HistoryItem[] {
  return items.flatMap((item, at) => [
    ...(beginsAnswer(items, at) ? [{ kind: 'assistant' } as const] : []),
    ...readResponsesItem(item),
  ]);
}

function readResponsesItem(item: Fields): HistoryItem[] {
  const type = stringOf(item['type'], 'message');
  if (type === 'message') {
    const text = textOf(item['content']);
    if (item['role'] === 'system' || item['role'] === 'developer') return [{ kind: 'system', text }];
    return item['role'] === 'assistant' ? [] : [{ kind: 'user', text }];
  }
  const id = stringOf(item['call_id'] ?? item['id'], '');
  // Calls of the built-in shell have no name; its tool is called like its type.
  if (type.endsWith('_call'))
    return [{ kind: 'call', id, tool: stringOf(item['name'], type.slice(0, -'_call'.length)) }];
  if (type.endsWith('_call_output')) return [{ kind: 'result', id, text: textOf(item['output']) }];
  return [];
}
