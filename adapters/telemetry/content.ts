import { headOf } from '@klaus/core/cut-text';
import type { Message, Part } from '@klaus/core/protocol';

/** Characters. */
const MAX_TEXT = 8_000;

/**
 * Messages in the format of the conventions: JSON of `{ role, parts }`. The log is redacted already.
 * Source: https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai/gen-ai-input-messages.json
 */
export function toMessages(messages: readonly Message[], finishReason?: string): string {
  const reason = finishReason === undefined ? {} : { finish_reason: finishReason };
  return JSON.stringify(messages.map(({ role, parts }) => ({ role, parts: parts.flatMap(toParts), ...reason })));
}

export function toContent(value: unknown): string {
  return typeof value === 'string' ? cut(value) : JSON.stringify(cutDeep(value));
}

function toParts(part: Part): object[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', content: cut(part.text) }];
    case 'thinking':
      return [{ type: 'reasoning', content: cut(part.text) }];
    case 'call':
      return [{ type: 'tool_call', id: part.id, name: part.name, arguments: cutDeep(part.input) }];
    case 'result':
      return [{ type: 'tool_call_response', id: part.call, response: cut(part.text) }];
    case 'file':
      return [{ type: 'text', content: `[file ${part.name}] ${cut(part.text ?? '')}`.trim() }];
    case 'image':
      return [{ type: 'text', content: `[image ${part.mediaType}]` }];
    default:
      return [];
  }
}

function cutDeep(value: unknown): unknown {
  if (typeof value === 'string') return cut(value);
  if (Array.isArray(value)) return value.map(cutDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutDeep(item)]));
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${headOf(text, MAX_TEXT)}…`;
}
