import { toSupported, type ModelInfo, type ToolSpec } from '@klaus/core/agent';
import type { Part } from '@klaus/core/protocol';
import { toInputText } from '../wire/call-ids.ts';
import { fromCallState, fromThinkingState } from './answer-state.ts';
import { createRequestWriter, type RequestWriter } from '../wire/request-writer.ts';
import { readUserParts } from './user-parts.ts';

export type Dialect = 'openai' | 'openrouter' | 'compatible';

export interface BodyOptions {
  id: string;
  dialect: Dialect;
  info: ModelInfo;
  /** A tool that the provider runs, in place of the tools of requests. */
  serverTool?: object;
}

export function createBodyWriter({ id, dialect, info, serverTool }: BodyOptions): RequestWriter {
  return createRequestWriter({
    list: 'messages',
    toHead: ({ tools }) => ({
      model: id,
      ...(serverTool ? { tools: [serverTool] } : tools.length > 0 && { tools: tools.map(toTool) }),
    }),
    toFirstItem: ({ system }) => (system === '' ? undefined : { role: 'system', content: system }),
    toItems: ({ role, parts }) => (role === 'assistant' ? toAssistant(parts) : toUser(parts, info.images)),
    toTail: (request) => ({
      [dialect === 'openai' ? 'max_completion_tokens' : 'max_tokens']: request.maxOutputTokens,
      stream: true,
      stream_options: { include_usage: true },
      ...(dialect === 'openai' && { prompt_cache_key: request.session }),
      ...(dialect === 'openrouter' && { usage: { include: true } }),
      // Other vendors cache by default. This one caches on request, and moves the mark itself.
      ...(dialect === 'openrouter' && id.startsWith('anthropic/') && { cache_control: { type: 'ephemeral' } }),
      ...toSampling(toSupported(request, info), dialect),
    }),
  });
}

function toSampling({ temperature, effort }: ReturnType<typeof toSupported>, dialect: Dialect): object {
  if (dialect === 'openrouter') return { temperature, reasoning: effort && { effort } };
  return { temperature, reasoning_effort: effort };
}

function toTool({ name, description, inputSchema }: ToolSpec): object {
  return { type: 'function', function: { name, description, parameters: inputSchema } };
}

function toAssistant(parts: readonly Part[]): object[] {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const calls = parts.flatMap((part) => {
    if (part.type !== 'call') return [];
    const call = { name: part.name, arguments: toInputText(part.input) };
    return [{ id: part.id, type: 'function', function: call, ...fromCallState(part) }];
  });
  if (text === '' && calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...fromThinkingState(parts),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

function toUser(parts: readonly Part[], images: boolean): object[] {
  const { results, content } = readUserParts<{ type: string; text?: string }>(parts, images, {
    toResult: (call, text) => ({ role: 'tool', tool_call_id: call, content: text }),
    toText: (text) => ({ type: 'text', text }),
    toImage: (url) => ({ type: 'image_url', image_url: { url } }),
  });
  if (content.length === 0) return results;
  // All servers accept plain text; not all accept a list of parts.
  const plain = content.every((part) => part.type === 'text');
  return [...results, { role: 'user', content: plain ? content.map((part) => part.text).join('\n\n') : content }];
}
