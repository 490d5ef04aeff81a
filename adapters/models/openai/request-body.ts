import type { ModelRequest } from '@klaus/core/agent';
import type { Message } from '@klaus/core/protocol';
import { toInputObject } from '../wire/call-ids.ts';
import { createHistory, NO_IMAGES, toDocumentText } from '../wire/history.ts';

/** The dialect of chat-completions of a server. */
export type Dialect = 'openai' | 'openrouter' | 'compatible';

export interface BodyOptions {
  id: string;
  dialect: Dialect;
  images: boolean;
}

/**
 * Writes request bodies of chat-completions as bytes. Model, tools, system and history come first and in
 * this order, so that each body of a session begins with the complete previous one up to its last message;
 * what varies follows.
 */
export function createBodyWriter(options: BodyOptions): (request: ModelRequest) => Uint8Array[] {
  const writeHistory = createHistory({
    convert: (message) =>
      toMessages(message, options.images)
        .map((wire) => JSON.stringify(wire))
        .join(','),
    join: (previous) => (previous ? ',' : ''),
  });
  let head: { system: string; tools: ModelRequest['tools']; bytes: Buffer } | undefined;
  return (request) => {
    if (head?.system !== request.system || head.tools !== request.tools) {
      head = { system: request.system, tools: request.tools, bytes: Buffer.from(toHead(request, options)) };
    }
    const { bytes, last } = writeHistory(request.messages);
    const comma = request.system !== '' && last ? ',' : '';
    return [head.bytes, Buffer.from(comma), bytes, Buffer.from(`],${toTail(request, options)}}`)];
  };
}

function toHead(request: ModelRequest, { id }: BodyOptions): string {
  const fields = [`"model":${JSON.stringify(id)}`];
  if (request.tools.length > 0) {
    const tools = request.tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    }));
    fields.push(`"tools":${JSON.stringify(tools)}`);
  }
  const system = request.system === '' ? '' : JSON.stringify({ role: 'system', content: request.system });
  return `{${fields.join(',')},"messages":[${system}`;
}

function toTail(request: ModelRequest, { id, dialect }: BodyOptions): string {
  const limit = dialect === 'openai' ? 'max_completion_tokens' : 'max_tokens';
  const fields = [`"${limit}":${request.maxOutputTokens}`, '"stream":true', '"stream_options":{"include_usage":true}'];
  if (dialect === 'openai') fields.push(`"prompt_cache_key":${JSON.stringify(request.session)}`);
  if (dialect === 'openrouter') {
    fields.push('"usage":{"include":true}');
    // Other vendors cache by default. This one caches on request, and moves the mark itself.
    if (id.startsWith('anthropic/')) fields.push('"cache_control":{"type":"ephemeral"}');
  }
  return fields.join(',');
}

function toMessages(message: Message, images: boolean): object[] {
  return message.role === 'assistant' ? toAssistant(message) : toUser(message, images);
}

function toAssistant(message: Message): object[] {
  const text = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const calls = message.parts.flatMap((part) =>
    part.type === 'call'
      ? [
          {
            id: part.id,
            type: 'function',
            function: { name: part.name, arguments: JSON.stringify(toInputObject(part.input)) },
          },
        ]
      : [],
  );
  if (text === '' && calls.length === 0) return [];
  return [{ role: 'assistant', content: text === '' ? null : text, ...(calls.length > 0 && { tool_calls: calls }) }];
}

function toUser(message: Message, images: boolean): object[] {
  const results: object[] = [];
  const content: { type: string; text?: string; image_url?: { url: string } }[] = [];
  for (const part of message.parts) {
    switch (part.type) {
      case 'result':
        // This wire format has no flag for a failure.
        results.push({
          role: 'tool',
          tool_call_id: part.call,
          content: part.isError ? `Error: ${part.text}` : part.text,
        });
        break;
      case 'image':
        content.push(
          images
            ? { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } }
            : { type: 'text', text: NO_IMAGES },
        );
        break;
      case 'text':
        if (part.text !== '') content.push({ type: 'text', text: part.text });
        break;
      case 'file':
        content.push({ type: 'text', text: toDocumentText(part) });
        break;
      case 'call':
      case 'thinking': // never in a user's message
    }
  }
  if (content.length === 0) return results;
  // All servers accept plain text; not all accept a list of parts.
  const plain = content.every((part) => part.type === 'text');
  return [...results, { role: 'user', content: plain ? content.map((part) => part.text).join('\n\n') : content }];
}
