import { type Answer, cut } from './answer.ts';
import { parseInput } from '../wire/call-ids.ts';

/** One server-sent event. */
function frame(event: { type: string } & Record<string, unknown>): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** An answer of the Messages API as server-sent events, text in pieces of `chunk` characters. */
export function* toAnthropicFrames(answer: Answer, chunk: number): Generator<string> {
  const message = { ...toEnvelope(answer), content: [], stop_reason: null, stop_sequence: null };
  yield frame({ type: 'message_start', message: { ...message, usage: { ...toUsage(answer), output_tokens: 1 } } });
  yield frame({ type: 'ping' });
  let index = 0;
  for (const { begin, deltas } of toBlocks(answer, chunk)) {
    yield frame({ type: 'content_block_start', index, content_block: begin });
    for (const delta of deltas) yield frame({ type: 'content_block_delta', index, delta });
    yield frame({ type: 'content_block_stop', index });
    index++;
  }
  yield frame({
    type: 'message_delta',
    delta: { stop_reason: answer.stop, stop_sequence: null },
    usage: toUsage(answer),
  });
  yield frame({ type: 'message_stop' });
}

interface Block {
  begin: Record<string, unknown>;
  deltas: Iterable<Record<string, unknown>>;
}

function* toBlocks(answer: Answer, chunk: number): Generator<Block> {
  if (answer.thinking !== '') {
    yield {
      begin: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...cut(answer.thinking, chunk).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: answer.signature },
      ],
    };
  }
  if (answer.encrypted !== undefined) {
    yield { begin: { type: 'redacted_thinking', data: answer.encrypted }, deltas: [] };
  }
  if (answer.text !== '') {
    yield {
      begin: { type: 'text', text: '' },
      deltas: cut(answer.text, chunk).map((text) => ({ type: 'text_delta', text })),
    };
  }
  for (const { id, name, json } of answer.calls) {
    yield {
      begin: { type: 'tool_use', ...(id !== '' && { id }), name, input: {} },
      deltas: cut(json, chunk).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    };
  }
}

/** The same answer as one JSON document. */
export function toAnthropicMessage(answer: Answer): unknown {
  const content = [
    ...(answer.thinking === '' ? [] : [{ type: 'thinking', thinking: answer.thinking, signature: answer.signature }]),
    ...(answer.encrypted === undefined ? [] : [{ type: 'redacted_thinking', data: answer.encrypted }]),
    ...(answer.text === '' ? [] : [{ type: 'text', text: answer.text }]),
    ...answer.calls.map(({ id, name, json }) => ({ type: 'tool_use', id, name, input: parseInput(json) })),
  ];
  return { ...toEnvelope(answer), content, stop_reason: answer.stop, stop_sequence: null, usage: toUsage(answer) };
}

function toEnvelope({ id, model }: Answer): Record<string, unknown> {
  return { id, type: 'message', role: 'assistant', model };
}

function toUsage({ usage }: Answer): Record<string, unknown> {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
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

export function toAnthropicError(status: number, message: string): unknown {
  const type = TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return { type: 'error', error: { type, message } };
}

/** An error in mid-stream. */
export function toAnthropicErrorFrame(status: number, message: string): string {
  return `event: error\ndata: ${JSON.stringify(toAnthropicError(status, message))}\n\n`;
}
