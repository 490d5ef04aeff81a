import type { ModelEvent } from '@klaus/core/agent';
import type { Part, StopReason } from '@klaus/core/protocol';
import { parseInput } from '../wire/call-ids.ts';
import { MalformedResponse, ProviderError, StreamCut } from '../wire/errors.ts';
import type { ReadOptions } from '../wire/http-model.ts';
import type { AnswerReader } from '../wire/stream-answer.ts';
import { estimateUsage, toUsage } from './usage.ts';

interface Item {
  type?: string;
  id?: string;
  call_id?: string | null;
  name?: string;
  arguments?: string;
  summary?: { text?: string }[];
  encrypted_content?: string | null;
  content?: { type?: string; text?: string; refusal?: string }[];
}

interface CompletedResponse {
  output?: Item[];
  error?: { code?: string | null; message?: string } | null;
  incomplete_details?: { reason?: string } | null;
  usage?: {
    input_tokens?: number;
    output_tokens?: number;
    input_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number } | null;
  } | null;
}

/** One event of a Responses stream; ignored events have other types. */
interface ResponsesEvent {
  type?: string;
  output_index?: number;
  delta?: string;
  item?: Item;
  response?: CompletedResponse;
}

/**
 * Reads the events of one answer. Its items are taken when each of them is done; the end marker is
 * `response.completed` or `response.incomplete`.
 *
 * @source https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function createResponseReader(options: ReadOptions): AnswerReader {
  const items: Item[] = [];
  /** Name and index of each call, by the index of its item. */
  const calls = new Map<number, { index: number; name: string }>();
  let completed: CompletedResponse | undefined;
  return {
    get isComplete() {
      return completed !== undefined;
    },
    *take(taken) {
      if (typeof taken !== 'object' || taken === null) throw new MalformedResponse('An event is not an object.');
      const event = taken as ResponsesEvent;
      const { type, delta = '', output_index: at = 0, item } = event;
      switch (type ?? '') {
        case 'response.output_text.delta':
        case 'response.refusal.delta':
          if (delta !== '') yield { type: 'text', text: delta };
          break;
        case 'response.reasoning_summary_text.delta':
        case 'response.reasoning_text.delta':
          if (delta !== '') yield { type: 'thinking', text: delta };
          break;
        case 'response.output_item.added':
          if (item?.type === 'function_call') {
            const call = { index: calls.size, name: item.name ?? '' };
            calls.set(at, call);
            yield { type: 'call', ...call, text: '' };
          }
          break;
        case 'response.function_call_arguments.delta': {
          const call = calls.get(at);
          if (call) yield { type: 'call', ...call, text: delta };
          break;
        }
        case 'response.output_item.done':
          if (item) items[at] = item;
          break;
        case 'response.completed':
        case 'response.incomplete':
          completed = event.response ?? {};
          break;
        case 'response.failed':
          throw new ProviderError({ body: event.response?.error ?? undefined });
        case 'error':
          throw new ProviderError({ body: event });
      }
    },
    finish() {
      if (completed === undefined) throw new StreamCut('The stream ended before the answer was complete.');
      return toFinished(items.filter(Boolean), completed, options);
    },
  };
}

function toFinished(
  done: readonly Item[],
  response: CompletedResponse,
  { toCallId, promptBytes }: ReadOptions,
): ModelEvent {
  const items = done.length > 0 ? done : (response.output ?? []);
  let calls = 0;
  const parts = items.flatMap((item): Part[] => {
    switch (item.type) {
      case 'reasoning':
        return toThinking(item);
      case 'message': {
        const text = (item.content ?? []).map((part) => part.text ?? part.refusal ?? '').join('');
        return text === '' ? [] : [{ type: 'text', text }];
      }
      case 'function_call': {
        const id = toCallId(item.call_id ?? undefined, calls++);
        return [{ type: 'call', id, name: item.name ?? '', input: parseInput(item.arguments ?? '') }];
      }
      default:
        return []; // tools that the provider runs itself, which Klaus never asks for
    }
  });
  const refused = items.some((item) => item.content?.some((part) => part.type === 'refusal'));
  const { input_tokens: input, output_tokens: output, input_tokens_details: details } = response.usage ?? {};
  const usage = response.usage
    ? toUsage({ input, output, details })
    : estimateUsage(promptBytes, Buffer.byteLength(JSON.stringify(items)));
  const stopReason = toStopReason(response.incomplete_details?.reason, refused, calls > 0);
  return { type: 'finished', parts, stopReason, usage };
}

function toThinking({ id = '', summary = [], encrypted_content: content }: Item): Part[] {
  const text = summary.map((part) => part.text ?? '').join('\n\n');
  if (text === '' && !content) return [];
  const providerState = content ? { data: { id, encrypted_content: content } } : undefined;
  return [{ type: 'thinking', text, ...(providerState && { providerState }) }];
}

function toStopReason(incomplete: string | undefined, refused: boolean, calls: boolean): StopReason {
  if (incomplete === 'content_filter' || refused) return 'refusal';
  if (incomplete !== undefined) return 'max_tokens';
  return calls ? 'tool_use' : 'end_turn';
}
