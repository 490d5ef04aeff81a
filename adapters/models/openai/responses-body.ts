import type { ModelRequest } from '@klaus/core/agent';
import type { Message, Part } from '@klaus/core/protocol';
import { toInputObject } from '../wire/call-ids.ts';
import { fromSealed } from '../wire/sealed-reasoning.ts';
import { createHistory, NO_IMAGES, toDocumentText } from '../wire/history.ts';

export interface ResponsesBodyOptions {
  id: string;
  images: boolean;
}

/**
 * Writes request bodies of Responses as bytes. Model, instructions, tools and input come first and in this order,
 * so that each body of a session begins with the complete previous one up to its last item; what varies follows.
 *
 * @source https://platform.openai.com/docs/api-reference/responses/create
 */
export function createResponsesBodyWriter(options: ResponsesBodyOptions): (request: ModelRequest) => Uint8Array[] {
  const writeHistory = createHistory({
    convert: (message) =>
      toItems(message, options.images)
        .map((item) => JSON.stringify(item))
        .join(','),
    join: (previous) => (previous ? ',' : ''),
  });
  let head: { system: string; tools: ModelRequest['tools']; bytes: Buffer } | undefined;
  return (request) => {
    if (head?.system !== request.system || head.tools !== request.tools) {
      head = { system: request.system, tools: request.tools, bytes: Buffer.from(toHead(request, options.id)) };
    }
    const { bytes } = writeHistory(request.messages);
    return [head.bytes, bytes, Buffer.from(`],${toTail(request)}}`)];
  };
}

function toHead(request: ModelRequest, id: string): string {
  const fields = [`"model":${JSON.stringify(id)}`];
  if (request.system !== '') fields.push(`"instructions":${JSON.stringify(request.system)}`);
  if (request.tools.length > 0) {
    const tools = request.tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      // Strict schemas must require every property; ours have optional ones.
      strict: false,
      parameters: inputSchema,
    }));
    fields.push(`"tools":${JSON.stringify(tools)}`);
  }
  // No summaries of the reasoning are requested: OpenAI rejects such requests of unverified organizations.
  fields.push('"include":["reasoning.encrypted_content"]', '"store":false');
  return `{${fields.join(',')},"input":[`;
}

function toTail(request: ModelRequest): string {
  return [
    `"max_output_tokens":${request.maxOutputTokens}`,
    '"stream":true',
    `"prompt_cache_key":${JSON.stringify(request.session)}`,
  ].join(',');
}

function toItems(message: Message, images: boolean): object[] {
  return message.role === 'assistant' ? toOutputItems(message.parts) : toInputItems(message.parts, images);
}

function toOutputItems(parts: readonly Part[]): object[] {
  // Reasoning must be followed by its result, so an answer that ended after it is omitted.
  const last = parts.findLastIndex((part) => part.type === 'call' || (part.type === 'text' && part.text !== ''));
  return parts.slice(0, last + 1).flatMap((part): object[] => {
    switch (part.type) {
      case 'thinking': {
        const sealed = fromSealed(part.encrypted);
        if (sealed === undefined) return [];
        const summary = part.text === '' ? [] : [{ type: 'summary_text', text: part.text }];
        return [{ type: 'reasoning', id: sealed.id, summary, encrypted_content: sealed.content }];
      }
      case 'text':
        return part.text === '' ? [] : [{ role: 'assistant', content: [{ type: 'output_text', text: part.text }] }];
      case 'call': {
        const input = JSON.stringify(toInputObject(part.input));
        return [{ type: 'function_call', call_id: part.id, name: part.name, arguments: input }];
      }
      default:
        return []; // never in an answer
    }
  });
}

function toInputItems(parts: readonly Part[], images: boolean): object[] {
  const results: object[] = [];
  const content: object[] = [];
  for (const part of parts) {
    switch (part.type) {
      case 'result':
        // This wire format has no flag for a failure.
        results.push({
          type: 'function_call_output',
          call_id: part.call,
          output: part.isError ? `Error: ${part.text}` : part.text,
        });
        break;
      case 'image':
        content.push(
          images
            ? { type: 'input_image', detail: 'auto', image_url: `data:${part.mediaType};base64,${part.data}` }
            : { type: 'input_text', text: NO_IMAGES },
        );
        break;
      case 'text':
        if (part.text !== '') content.push({ type: 'input_text', text: part.text });
        break;
      case 'file':
        content.push({ type: 'input_text', text: toDocumentText(part) });
        break;
      case 'call':
      case 'thinking': // never in a user's message
    }
  }
  return content.length === 0 ? results : [...results, { role: 'user', content }];
}
