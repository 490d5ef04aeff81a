import { toSupported, type ModelInfo, type ToolSpec } from '@klaus/core/agent';
import type { ModelDialect, Part } from '@klaus/core/protocol';
import { toInputObject } from '../wire/call-ids.ts';
import { readState } from '../wire/provider-state.ts';
import { createRequestWriter, NO_IMAGES, toDocumentText, type RequestWriter } from '../wire/request-writer.ts';

export interface BodyOptions {
  id: string;
  /** Older models reject adaptive thinking, some gateways the marks of the cache. */
  dialect: Pick<ModelDialect, 'adaptiveThinking' | 'cacheMark'>;
  info: ModelInfo;
  /** A tool that the provider runs, in place of the tools of requests. */
  serverTool?: object;
}

const CACHE = { type: 'ephemeral' };

/**
 * Writes request bodies of the Messages API. The caching mark of the history is the top-level `cache_control`, which the
 * provider applies to the last block: a mark inside the messages would change bytes as it moves.
 *
 * Consecutive user messages become one, as tool results must be in the message that follows their
 * calls. Consecutive assistant messages stay apart; the provider joins them.
 */
export function createBodyWriter({ id, dialect, info, serverTool }: BodyOptions): RequestWriter {
  const mark = dialect.cacheMark && { cache_control: CACHE };
  return createRequestWriter({
    list: 'messages',
    toHead: ({ system, tools }) => ({
      model: id,
      ...(dialect.adaptiveThinking && { thinking: { type: 'adaptive', display: 'summarized' } }),
      ...mark,
      ...(serverTool ? { tools: [serverTool] } : tools.length > 0 && { tools: tools.map(toTool) }),
      ...(system !== '' && { system: [{ type: 'text', text: system, ...mark }] }),
    }),
    toItems: (message) => message.parts.flatMap((part) => toBlocks(part, info.images)),
    join: (previous, next) =>
      previous === 'user' && next === 'user' ? ',' : `${previous ? ']},' : ''}{"role":"${next}","content":[`,
    end: ']}',
    toTail: (request) => {
      const { temperature, effort } = toSupported(request, info);
      return {
        max_tokens: request.maxOutputTokens,
        stream: true,
        temperature,
        output_config: effort && { effort },
      };
    },
  });
}

function toTool({ name, description, inputSchema }: ToolSpec): object {
  return { name, description, input_schema: inputSchema };
}

/** None for an empty answer: the provider rejects a message without content. */
function toBlocks(part: Part, images: boolean): object[] {
  switch (part.type) {
    case 'text':
      // The provider rejects blocks that contain only white space.
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    case 'file':
      return [{ type: 'text', text: toDocumentText(part) }];
    case 'image':
      if (!images) return [{ type: 'text', text: NO_IMAGES }];
      return [{ type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } }];
    case 'thinking': {
      const { signature, redacted_thinking: data } = readState(part) ?? {};
      if (typeof data === 'string') return [{ type: 'redacted_thinking', data }];
      // Without its signature, as it comes from other providers, thinking is refused.
      return typeof signature === 'string' ? [{ type: 'thinking', thinking: part.text, signature }] : [];
    }
    case 'call':
      return [{ type: 'tool_use', id: toWireId(part.id), name: part.name, input: toInputObject(part.input) }];
    case 'result':
      return [
        {
          type: 'tool_result',
          tool_use_id: toWireId(part.call),
          content: part.text,
          ...(part.isError && { is_error: true }),
        },
      ];
  }
}

/** Ids of other providers can contain characters that this one rejects. */
function toWireId(id: string): string {
  return id.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
}
