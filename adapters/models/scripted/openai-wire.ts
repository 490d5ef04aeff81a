import { type Answer, cut } from './answer.ts';
import type { Conversation } from './conversation.ts';
import type { ScriptStop } from './script.ts';

const FINISH: Readonly<Record<ScriptStop, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
};

function frame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export function* toFrames(answer: Answer, chunk: number, { includeUsage }: Conversation): Generator<string> {
  const base = { id: answer.id, object: 'chat.completion.chunk', created: 0, model: answer.model };
  const say = (delta: Record<string, unknown>, finish: string | null = null) =>
    frame({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] });
  yield say({ role: 'assistant', content: '' });
  for (const reasoning of cut(answer.thinking, chunk)) yield say({ reasoning });
  for (const content of cut(answer.text, chunk)) yield say({ content });
  if (answer.search) yield say({ content: '', annotations: toAnnotations(answer.search) });
  for (const [index, { id, name, json }] of answer.calls.entries()) {
    const begin = { ...(id !== '' && { id }), type: 'function', function: { name, arguments: '' } };
    yield say({ tool_calls: [{ index, ...begin }] });
    for (const piece of cut(json, chunk)) yield say({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  yield say({}, FINISH[answer.stop]);
  if (includeUsage) yield frame({ ...base, choices: [], usage: toUsage(answer) });
  yield 'data: [DONE]\n\n';
}

export function toDocument(answer: Answer): unknown {
  const calls = answer.calls.map(({ id, name, json }) => ({
    id,
    type: 'function',
    function: { name, arguments: json },
  }));
  const { id, model, text, thinking } = answer;
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(thinking !== '' && { reasoning: thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(answer.search && { annotations: toAnnotations(answer.search) }),
  };
  const choices = [{ index: 0, message, finish_reason: FINISH[answer.stop] }];
  return { id, object: 'chat.completion', created: 0, model, choices, usage: toUsage(answer) };
}

/** Citations in the shape of OpenRouter. */
function toAnnotations(results: NonNullable<Answer['search']>): object[] {
  return results.map(({ title, url, snippet }) => ({
    type: 'url_citation',
    url_citation: { url, title, content: snippet, start_index: 0, end_index: 0 },
  }));
}

function toUsage({ usage, usd }: Answer): Record<string, unknown> {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    ...(usd !== undefined && { cost: usd }),
  };
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

export function toError(status: number, message: string): unknown {
  const type = TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  return { error: { message, type, param: null, code: null } };
}

/** An error in mid-stream, in the shape in which OpenRouter sends it. */
export function toErrorFrame(status: number, message: string): string {
  return frame({
    error: { code: status, message },
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
  });
}
