import { toSupported, type ModelInfo, type ToolSpec } from '@klaus/core/agent';
import type { ModelDialect, Part } from '@klaus/core/protocol';
import { toInputText } from '../wire/call-ids.ts';
import { readState } from '../wire/provider-state.ts';
import { createRequestWriter, type RequestWriter } from '../wire/request-writer.ts';
import { readUserParts } from './user-parts.ts';

export interface ResponsesBodyOptions {
  id: string;
  info: ModelInfo;
  dialect: Pick<ModelDialect, 'cacheKey' | 'store' | 'strict'>;
  /** Fields that replace those before the history. Default: none. */
  fields?: object;
}

/** @source https://platform.openai.com/docs/api-reference/responses/create */
export function createResponsesBodyWriter({ id, info, dialect, fields }: ResponsesBodyOptions): RequestWriter {
  return createRequestWriter({
    list: 'input',
    toHead: ({ system, tools }) => ({
      model: id,
      ...(system !== '' && { instructions: system }),
      ...(tools.length > 0 && { tools: tools.map((tool) => toTool(tool, dialect.strict)) }),
      // No summaries of the reasoning are requested: OpenAI rejects such requests of unverified organizations.
      include: ['reasoning.encrypted_content'],
      ...(dialect.store && { store: false }),
      ...fields,
    }),
    toItems: ({ role, parts }) => (role === 'assistant' ? toOutputItems(parts) : toInputItems(parts, info.images)),
    toTail: (request) => {
      const { temperature, effort } = toSupported(request, info);
      return {
        max_output_tokens: request.maxOutputTokens,
        stream: true,
        ...(dialect.cacheKey && { prompt_cache_key: request.session }),
        temperature,
        reasoning: effort && { effort },
      };
    },
  });
}

function toTool({ name, description, inputSchema }: ToolSpec, hasStrict: boolean): object {
  // Strict schemas must require every property; ours have optional ones.
  return { type: 'function', name, description, ...(hasStrict && { strict: false }), parameters: inputSchema };
}

function toOutputItems(parts: readonly Part[]): object[] {
  // Reasoning must be followed by its result, so an answer that ended after it is omitted.
  const last = parts.findLastIndex((part) => part.type === 'call' || (part.type === 'text' && part.text !== ''));
  return parts.slice(0, last + 1).flatMap((part): object[] => {
    switch (part.type) {
      case 'thinking': {
        const { id, encrypted_content: content } = readState(part) ?? {};
        if (typeof content !== 'string') return [];
        const summary = part.text === '' ? [] : [{ type: 'summary_text', text: part.text }];
        return [{ type: 'reasoning', id, summary, encrypted_content: content }];
      }
      case 'text':
        // llama.cpp knows an answer by its `type`, which OpenAI does not require.
        return part.text === ''
          ? []
          : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: part.text }] }];
      case 'call': {
        const input = toInputText(part.input);
        return [{ type: 'function_call', call_id: part.id, name: part.name, arguments: input }];
      }
      default:
        return []; // never in an answer
    }
  });
}

function toInputItems(parts: readonly Part[], images: boolean): object[] {
  const { results, content } = readUserParts<object>(parts, images, {
    toResult: (call, text) => ({ type: 'function_call_output', call_id: call, output: text }),
    toText: (text) => ({ type: 'input_text', text }),
    toImage: (url) => ({ type: 'input_image', detail: 'auto', image_url: url }),
  });
  return content.length === 0 ? results : [...results, { role: 'user', content }];
}
