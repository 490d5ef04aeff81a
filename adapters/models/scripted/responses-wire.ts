import { isRecord } from '@klaus/core/protocol';
import { parseInput } from '../wire/call-ids.ts';
import { type Answer, cut } from './answer.ts';

export { toError } from './openai-wire.ts';

// Shapes and order of events: https://platform.openai.com/docs/api-reference/responses-streaming

type Json = Record<string, unknown>;

export function* toFrames(answer: Answer, chunk: number): Generator<string> {
  let sequence = 0;
  const frame = (type: string, fields: Json): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields, sequence_number: sequence++ })}\n\n`;
  const begun = { response: toEnvelope(answer, { status: 'in_progress', output: [], usage: null }) };
  yield frame('response.created', begun);
  yield frame('response.in_progress', begun);
  for (const [at, item] of toItems(answer).entries()) {
    yield frame('response.output_item.added', { output_index: at, item: { ...item.full, ...item.empty } });
    const place = { item_id: item.full['id'], output_index: at };
    for (const [type, fields] of item.events(chunk)) yield frame(type, { ...place, ...fields });
    yield frame('response.output_item.done', { output_index: at, item: item.full });
  }
  const response = toDocument(answer);
  yield frame(`response.${String(response['status'])}`, { response });
}

export function toDocument(answer: Answer): Json {
  const output = toItems(answer).map((item) => item.full);
  return toEnvelope(answer, { status: toReason(answer) ? 'incomplete' : 'completed', output, usage: toUsage(answer) });
}

/** One output item, and the events between its start and its end. */
interface Item {
  full: Json;
  /** Fields that differ at its start. */
  empty: Json;
  events: (chunk: number) => Iterable<[type: string, fields: Json]>;
}

function toItems(answer: Answer): Item[] {
  const { thinking, text, calls, search } = answer;
  const key = answer.id.replace(/^msg_/, '');
  return [
    ...(thinking === '' && answer.encrypted === undefined ? [] : [toReasoning(answer, `rs_${key}`)]),
    ...(search ? [toSearch(search, `ws_${key}`), toCitations(search, `msg_${key}_cited`)] : []),
    ...(text === '' ? [] : [toMessage(text, `msg_${key}`)]),
    ...calls.map((call, index) => toCall(call, `${key}_${index}`)),
  ];
}

function toReasoning({ thinking, signature, encrypted }: Answer, id: string): Item {
  const part = { type: 'summary_text', text: thinking };
  const summary = thinking === '' ? [] : [part];
  return {
    full: { id, type: 'reasoning', summary, encrypted_content: encrypted ?? signature },
    empty: { summary: [] },
    *events(chunk) {
      if (thinking === '') return;
      const at = { summary_index: 0 };
      yield ['response.reasoning_summary_part.added', { ...at, part: { ...part, text: '' } }];
      for (const delta of cut(thinking, chunk)) yield ['response.reasoning_summary_text.delta', { ...at, delta }];
      yield ['response.reasoning_summary_text.done', { ...at, text: thinking }];
      yield ['response.reasoning_summary_part.done', { ...at, part }];
    },
  };
}

function toMessage(text: string, id: string): Item {
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
  return {
    full: { id, type: 'message', status: 'completed', role: 'assistant', content: [part] },
    empty: { status: 'in_progress', content: [] },
    *events(chunk) {
      const at = { content_index: 0 };
      yield ['response.content_part.added', { ...at, part: { ...part, text: '' } }];
      for (const delta of cut(text, chunk)) yield ['response.output_text.delta', { ...at, delta, logprobs: [] }];
      yield ['response.output_text.done', { ...at, text, logprobs: [] }];
      yield ['response.content_part.done', { ...at, part }];
    },
  };
}

function toSearch(results: NonNullable<Answer['search']>, id: string): Item {
  const sources = results.map(({ url }) => ({ type: 'url', url }));
  const action = { type: 'search', query: 'scripted', queries: ['scripted'], sources };
  return {
    full: { id, type: 'web_search_call', status: 'completed', action },
    empty: { status: 'in_progress', action: undefined },
    *events() {
      for (const status of ['in_progress', 'searching', 'completed']) yield [`response.web_search_call.${status}`, {}];
    },
  };
}

/** A message with one line for each result, which ends with its citation. */
function toCitations(results: NonNullable<Answer['search']>, id: string): Item {
  let text = '';
  const annotations = results.map(({ title, url, snippet }) => {
    const link = `([${title}](${url}?utm_source=openai))`;
    text += `${snippet} `;
    const at = { start_index: text.length, end_index: text.length + link.length };
    text += `${link}\n`;
    return { type: 'url_citation', url: `${url}?utm_source=openai`, title, ...at };
  });
  const message = toMessage(text, id);
  const part = { type: 'output_text', text, annotations, logprobs: [] };
  return {
    ...message,
    full: { ...message.full, content: [part] },
    *events(chunk) {
      for (const event of message.events(chunk)) {
        if (event[0] === 'response.output_text.done') {
          for (const [at, annotation] of annotations.entries())
            yield ['response.output_text.annotation.added', { content_index: 0, annotation_index: at, annotation }];
        }
        yield event;
      }
    },
  };
}

function toCall({ id: given, name, json, kind }: Answer['calls'][number], key: string): Item {
  const id = given === '' ? {} : { call_id: given };
  const parsed = kind === 'function' ? json : parseInput(json);
  if (kind === 'local_shell') {
    const action = { type: 'exec', env: {}, ...(isRecord(parsed) && parsed) };
    return {
      full: { id: `lsh_${key}`, type: 'local_shell_call', status: 'completed', ...id, action },
      empty: { status: 'in_progress' },
      events: () => [],
    };
  }
  const text = typeof parsed === 'string' ? parsed : json;
  const [prefix, type, field] =
    kind === 'custom' ? ['ctc', 'custom_tool_call', 'input'] : ['fc', 'function_call', 'arguments'];
  return {
    full: { id: `${prefix}_${key}`, type, status: 'completed', name, ...id, [field]: text },
    empty: { status: 'in_progress', [field]: '' },
    *events(chunk) {
      for (const delta of cut(text, chunk)) yield [`response.${type}_${field}.delta`, { delta }];
      yield [`response.${type}_${field}.done`, { [field]: text }];
    },
  };
}

/** Why an answer is incomplete; undefined for a complete one. */
function toReason({ stop }: Answer): string | undefined {
  if (stop === 'max_tokens' || stop === 'model_context_window_exceeded') return 'max_output_tokens';
  return stop === 'refusal' ? 'content_filter' : undefined;
}

function toEnvelope(answer: Answer, fields: { status: string; output: Json[]; usage: Json | null }): Json {
  const reason = fields.status === 'incomplete' ? toReason(answer) : undefined;
  return {
    id: answer.id.replace(/^msg_/, 'resp_'),
    object: 'response',
    created_at: 0,
    background: false,
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model: answer.model,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    ...fields,
  };
}

function toUsage({ usage, thinkingTokens, usd }: Answer): Json {
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: Math.min(thinkingTokens, usage.output) },
    total_tokens: input + usage.output,
    ...(usd !== undefined && { cost: usd }),
  };
}

const CODES: Readonly<Record<number, string>> = {
  429: 'rate_limit_exceeded',
  503: 'server_is_overloaded',
  529: 'server_is_overloaded',
};

/** An error in the stream: the response has failed. */
export function toErrorFrame(status: number, message: string): string {
  const type = 'response.failed';
  const code = CODES[status] ?? (status >= 500 ? 'server_error' : 'invalid_prompt');
  const response = { id: 'resp_failed', object: 'response', status: 'failed', error: { code, message }, output: [] };
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, response })}\n\n`;
}
