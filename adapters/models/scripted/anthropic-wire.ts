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

function toBlocks({ thinking, signature, encrypted, text, calls }: Answer): Block[] {
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

export function toDocument(answer: Answer): unknown {
  const content = toBlocks(answer).map(({ full }) => full);
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

export function toError(status: number, message: string): { type: string; error: object } {
  const type = TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return { type: 'error', error: { type, message } };
}

export function toErrorFrame(status: number, message: string): string {
  return frame(toError(status, message));
}
