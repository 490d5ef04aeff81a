import { type Answer, cut } from './answer.ts';
import { parseInput } from '../wire/call-ids.ts';

function frame(event: { type: string; [field: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

export function* toFrames(answer: Answer, chunk: number): Generator<string> {
  const message = { ...toEnvelope(answer), content: [], stop_reason: null, stop_sequence: null };
  yield frame({ type: 'message_start', message: { ...message, usage: { ...toUsage(answer), output_tokens: 1 } } });
  yield frame({ type: 'ping' });
  for (const [index, { full, empty, toDeltas }] of toBlocks(answer).entries()) {
    yield frame({ type: 'content_block_start', index, content_block: { ...full, ...empty } });
    for (const delta of toDeltas(chunk)) yield frame({ type: 'content_block_delta', index, delta });
    yield frame({ type: 'content_block_stop', index });
  }
  yield frame({
    type: 'message_delta',
    delta: { stop_reason: answer.stop, stop_sequence: null },
    usage: toUsage(answer),
  });
  yield frame({ type: 'message_stop' });
}

interface Block {
  full: object;
  /** Fields that differ at its start. */
  empty: object;
  toDeltas: (chunk: number) => object[];
}

function toBlocks({ thinking, signature, encrypted, text, calls, search }: Answer): Block[] {
  const blocks: Block[] = [];
  if (thinking !== '') {
    blocks.push({
      full: { type: 'thinking', thinking, signature },
      empty: { thinking: '', signature: '' },
      toDeltas: (chunk) => [
        ...cut(thinking, chunk).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
        { type: 'signature_delta', signature },
      ],
    });
  }
  if (encrypted !== undefined) {
    blocks.push({ full: { type: 'redacted_thinking', data: encrypted }, empty: {}, toDeltas: () => [] });
  }
  if (search) blocks.push(...toSearchBlocks(search));
  if (text !== '') {
    blocks.push({
      full: { type: 'text', text },
      empty: { text: '' },
      toDeltas: (chunk) => cut(text, chunk).map((piece) => ({ type: 'text_delta', text: piece })),
    });
  }
  for (const { id, name, json } of calls) {
    blocks.push({
      full: { type: 'tool_use', id, name, input: parseInput(json) },
      empty: { input: {}, ...(id === '' && { id: undefined }) },
      toDeltas: (chunk) => cut(json, chunk).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    });
  }
  return blocks;
}

/** A search, its results, and one cited sentence of each. */
function toSearchBlocks(results: NonNullable<Answer['search']>): Block[] {
  const id = 'srvtoolu_search';
  const content = results.map(({ title, url }) => {
    return { type: 'web_search_result', title, url, encrypted_content: 'encrypted', page_age: null };
  });
  const query = { query: 'scripted' };
  return [
    {
      full: { type: 'server_tool_use', id, name: 'web_search', input: query },
      empty: { input: {} },
      toDeltas: () => [{ type: 'input_json_delta', partial_json: JSON.stringify(query) }],
    },
    { full: { type: 'web_search_tool_result', tool_use_id: id, content }, empty: {}, toDeltas: () => [] },
    ...results.map(({ title, url, snippet }): Block => {
      const location = {
        type: 'web_search_result_location',
        url,
        title,
        encrypted_index: 'index',
        cited_text: snippet,
      };
      return {
        full: { type: 'text', text: snippet, citations: [location] },
        empty: { text: '', citations: [] },
        toDeltas: () => [
          { type: 'text_delta', text: snippet },
          { type: 'citations_delta', citation: location },
        ],
      };
    }),
  ];
}

export function toDocument(answer: Answer): unknown {
  const content = toBlocks(answer).map(({ full }) => full);
  return { ...toEnvelope(answer), content, stop_reason: answer.stop, stop_sequence: null, usage: toUsage(answer) };
}

function toEnvelope({ id, model }: Answer): Record<string, unknown> {
  return { id, type: 'message', role: 'assistant', model };
}

function toUsage({ usage, search }: Answer): Record<string, unknown> {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
    ...(search && { server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 } }),
  };
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

export function toError(status: number, message: string): { type: string; error: object } {
  const type = TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return { type: 'error', error: { type, message } };
}

export function toErrorFrame(status: number, message: string): string {
  return frame(toError(status, message));
}
