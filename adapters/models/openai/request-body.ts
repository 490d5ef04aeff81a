import { toSupported, type ModelInfo, type SupportedSampling, type ToolSpec } from '@klaus/core/agent';
import type { ModelDialect, Part } from '@klaus/core/protocol';
import { toInputText } from '../wire/call-ids.ts';
import { fromCallState, fromThinkingState } from './answer-state.ts';
import { createRequestWriter, type RequestWriter } from '../wire/request-writer.ts';
import { readUserParts } from './user-parts.ts';

export interface BodyOptions {
  id: string;
  dialect: ModelDialect;
  info: ModelInfo;
  /** A tool that the provider runs, in place of the tools of requests. */
  serverTool?: object;
}

export function createBodyWriter({ id, dialect, info, serverTool }: BodyOptions): RequestWriter {
  const writeResult = createResultWriter(dialect);
  return createRequestWriter({
    list: 'messages',
    toHead: ({ tools }) => ({
      model: id,
      ...(serverTool ? { tools: [serverTool] } : tools.length > 0 && { tools: tools.map(toTool) }),
    }),
    toFirstItem: ({ system }) => (system === '' ? undefined : { role: dialect.system, content: system }),
    toItems: ({ role, parts }) =>
      role === 'assistant' ? toAssistant(parts, writeResult.name) : toUser(parts, info.images, writeResult),
    toTail: (request) => ({
      [dialect.limit]: request.maxOutputTokens,
      stream: true,
      ...(dialect.usage !== 'none' && { stream_options: { include_usage: true } }),
      ...(dialect.cacheKey && { prompt_cache_key: request.session }),
      ...(dialect.usage === 'usage' && { usage: { include: true } }),
      // Other vendors cache by default. This one caches on request, and moves the mark itself.
      ...(dialect.cacheMark && id.includes('claude') && { cache_control: { type: 'ephemeral' } }),
      ...toSampling(toSupported(request, info), dialect.effort),
    }),
  });
}

/** A field that only turns reasoning on and off turns it off at the lowest level. */
function toSampling({ temperature, effort }: SupportedSampling, field: ModelDialect['effort']): object {
  if (effort === undefined) return { temperature };
  const isOn = effort !== 'low';
  switch (field) {
    case 'reasoning_effort':
      return { temperature, reasoning_effort: effort };
    case 'reasoning':
      return { temperature, reasoning: { effort } };
    case 'thinking':
      return { temperature, thinking: { type: isOn ? 'enabled' : 'disabled' } };
    case 'enable_thinking':
      return { temperature, enable_thinking: isOn };
    case 'chat_template_kwargs':
      return { temperature, chat_template_kwargs: { enable_thinking: isOn } };
    case 'chat_template_thinking':
      return { temperature, chat_template_kwargs: { thinking: isOn } };
    case 'none':
      return { temperature };
  }
}

function toTool({ name, description, inputSchema }: ToolSpec): object {
  return { type: 'function', function: { name, description, parameters: inputSchema } };
}

interface ResultWriter {
  /** Called with each call, in the order of the history. */
  name: (id: string, tool: string) => void;
  write: (call: string, text: string) => object;
}

function createResultWriter({ results, resultNames }: ModelDialect): ResultWriter {
  const names = new Map<string, string>();
  return {
    name: (id, tool) => void (resultNames && names.set(id, tool)),
    write: (call, text) => ({
      role: 'tool',
      tool_call_id: call,
      ...(resultNames && { name: names.get(call) }),
      content: results === 'parts' ? [{ type: 'text', text }] : text,
    }),
  };
}

function toAssistant(parts: readonly Part[], onCall: ResultWriter['name']): object[] {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const calls = parts.flatMap((part) => {
    if (part.type !== 'call') return [];
    onCall(part.id, part.name);
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

function toUser(parts: readonly Part[], images: boolean, { write }: ResultWriter): object[] {
  const { results, content } = readUserParts<{ type: string; text?: string }>(parts, images, {
    toResult: write,
    toText: (text) => ({ type: 'text', text }),
    toImage: (url) => ({ type: 'image_url', image_url: { url } }),
  });
  if (content.length === 0) return results;
  // All servers accept plain text; not all accept a list of parts.
  const plain = content.every((part) => part.type === 'text');
  return [...results, { role: 'user', content: plain ? content.map((part) => part.text).join('\n\n') : content }];
}
