import type { ModelRequest } from '@klaus/core/agent';
import type { Message, Part } from '@klaus/core/protocol';
import { toInputObject } from '../wire/call-ids.ts';
import { fromSealed } from '../wire/sealed-reasoning.ts';
import { createHistory, NO_IMAGES, toDocumentText } from '../wire/history.ts';

export interface BodyOptions {
  /** The provider's id of the model. */
  id: string;
  /** Send `thinking: {type: 'adaptive'}`; older models reject it. */
  adaptiveThinking: boolean;
  images: boolean;
}

const CACHE = '"cache_control":{"type":"ephemeral"}';

/**
 * Writes request bodies of the Messages API as bytes. Model, system, tools and history come first and in
 * this order, so that each body of a session begins with the complete previous one up to its last message;
 * what varies follows. The caching mark of the history is the top-level `cache_control`, which the
 * provider applies to the last block: a mark inside the messages would change bytes as it moves.
 *
 * Consecutive user messages become one, as tool results must be in the message that follows their
 * calls. Consecutive assistant messages stay apart; the provider joins them.
 */
export function createBodyWriter(options: BodyOptions): (request: ModelRequest) => Uint8Array[] {
  const writeHistory = createHistory({
    convert: (message) =>
      toBlocks(message, options)
        .map((block) => JSON.stringify(block))
        .join(','),
    join: (previous, next) => {
      if (previous === 'user' && next === 'user') return ',';
      return `${previous ? ']},' : ''}{"role":"${next}","content":[`;
    },
  });
  let head: { system: string; tools: ModelRequest['tools']; bytes: Buffer } | undefined;
  return (request) => {
    if (head?.system !== request.system || head.tools !== request.tools) {
      head = { system: request.system, tools: request.tools, bytes: Buffer.from(toHead(request, options)) };
    }
    const { bytes, last } = writeHistory(request.messages);
    const tail = `${last ? ']}' : ''}],"max_tokens":${request.maxOutputTokens},"stream":true}`;
    return [head.bytes, bytes, Buffer.from(tail)];
  };
}

function toHead(request: ModelRequest, options: BodyOptions): string {
  const fields = [`"model":${JSON.stringify(options.id)}`];
  if (options.adaptiveThinking) fields.push('"thinking":{"type":"adaptive","display":"summarized"}');
  fields.push(CACHE);
  if (request.tools.length > 0) {
    const tools = request.tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      input_schema: inputSchema,
    }));
    fields.push(`"tools":${JSON.stringify(tools)}`);
  }
  if (request.system !== '')
    fields.push(`"system":[{"type":"text","text":${JSON.stringify(request.system)},${CACHE}}]`);
  return `{${fields.join(',')},"messages":[`;
}

/** Nothing for an empty answer: the provider rejects a message without content. */
function toBlocks(message: Message, options: BodyOptions): object[] {
  return message.parts.flatMap((part) => toBlock(part, options));
}

function toBlock(part: Part, options: BodyOptions): object[] {
  switch (part.type) {
    case 'text':
      // The provider rejects blocks that contain only white space.
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    case 'file':
      return [{ type: 'text', text: toDocumentText(part) }];
    case 'image':
      if (!options.images) return [{ type: 'text', text: NO_IMAGES }];
      return [{ type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } }];
    case 'thinking':
      if (fromSealed(part.encrypted) !== undefined) return [];
      if (part.encrypted !== undefined) return [{ type: 'redacted_thinking', data: part.encrypted }];
      // Without its signature, as it comes from other providers, thinking is refused.
      if (part.signature === undefined) return [];
      return [{ type: 'thinking', thinking: part.text, signature: part.signature }];
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
