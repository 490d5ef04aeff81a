import type { ModelEvent } from '@klaus/core/agent';
import { isRecord, NO_USAGE, type StopReason, type Usage } from '@klaus/core/protocol';
import type { AnswerReader } from '../wire/answer-feed.ts';
import { DONE } from '../wire/body-parser.ts';
import { MalformedResponse, ProviderError, StreamCut } from '../failure/errors.ts';
import type { ReadOptions } from '../wire/http-model.ts';
import { toNumber, toRecord, toRecords, toText } from '../wire/untrusted.ts';
import { isFilled, ResponseItems, toItem, toParts, type Item, type Place } from './response-items.ts';
import { toUsage } from './usage.ts';

/** What the event that ends an answer says of it. */
interface Completed {
  items: readonly Item[];
  /** Why the answer is incomplete; '' if it is not. */
  incomplete: string;
  usage: Usage | undefined;
}

/** Kinds of parts, by their names in the types of events. Servers have several names for those about reasoning. */
const KINDS = {
  output_text: 'message',
  refusal: 'refusal',
  function_call_arguments: 'function_call',
  reasoning_summary_text: 'reasoning',
  reasoning_summary: 'reasoning',
  reasoning_text: 'reasoning',
  reasoning: 'reasoning',
} as const;
const PIECES = new Map(
  Object.entries(KINDS).flatMap(([name, kind]) => [
    [`response.${name}.delta`, { kind, isAll: false }],
    [`response.${name}.done`, { kind, isAll: true }],
  ]),
);

/**
 * Reads the events of one answer. The end marker is `response.completed` or `response.incomplete`. Without one, an
 * answer is complete if the stream has an end marker of its own, or if all of its items are done.
 *
 * @source https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function createResponseReader(options: ReadOptions): AnswerReader {
  const items = new ResponseItems();
  let completed: Completed | undefined;
  let isEnded = false;

  function takePiece(event: Record<string, unknown>): ModelEvent[] {
    const { kind, isAll = false } = PIECES.get(toText(event['type'])) ?? {};
    if (kind === undefined) return [];
    const place = toPlace(event);
    const { delta, text, refusal } = event;
    if (kind === 'refusal') return items.takeRefusal(place, { text: isAll ? refusal : delta, isAll });
    if (kind !== 'function_call') return items.takePiece(kind, place, { text: isAll ? text : delta, isAll });
    return items.takePiece(kind, place, {
      text: isAll ? event['arguments'] : delta,
      isAll,
      name: toText(event['name']),
    });
  }

  return {
    get isComplete() {
      return completed !== undefined;
    },
    take(event) {
      isEnded ||= event === DONE;
      if (event === DONE) return [];
      if (!isRecord(event)) throw new MalformedResponse('An event is not an object.');
      switch (event['type'] ?? event['object']) {
        case 'response.output_item.added':
        case 'response.output_item.done': {
          const item = toItem(toRecord(event['item']));
          return item ? items.takeItem(item, toPlace(event), event['type'] === 'response.output_item.done') : [];
        }
        case 'response.completed':
        case 'response.done':
        case 'response.incomplete':
          completed = toCompleted(toRecord(event['response']));
          return [];
        case 'response.failed': {
          const { usage } = toRecord(event['response']);
          return isRecord(usage) ? [{ type: 'usage', usage: toWireUsage(usage), isFinal: true }] : [];
        }
        case 'response': // an answer that is not streamed
          completed = toCompleted(event);
          return [];
        default:
          return takePiece(event);
      }
    },
    finish() {
      const streamed = items.list();
      if (completed === undefined && !(isEnded ? streamed.length > 0 : items.isDone)) {
        throw new StreamCut('The stream ended before the answer was complete.');
      }
      const chosen = choose(streamed, items.isDone, completed?.items ?? []);
      const { parts, isRefusal } = toParts(chosen, options.toCallId);
      const hasCalls = parts.some(({ type }) => type === 'call');
      return {
        type: 'finished',
        parts,
        stopReason: toStopReason(completed?.incomplete ?? '', isRefusal, hasCalls),
        usage: completed?.usage ?? NO_USAGE,
      };
    },
  };
}

function toPlace(event: Record<string, unknown>): Place {
  return {
    at: toNumber(event['output_index']),
    id: toText(event['item_id']) || undefined,
    part: toNumber(event['content_index'] ?? event['summary_index']) ?? 0,
  };
}

/** @throws ProviderError for a response that failed. */
function toCompleted(response: Record<string, unknown>): Completed {
  const { status, output, usage } = response;
  if (status === 'failed' || status === 'cancelled') {
    throw new ProviderError({ body: response['error'] ?? response });
  }
  const reason = toText(toRecord(response['incomplete_details'])['reason']);
  return {
    items: toRecords(output).flatMap((item) => toItem(item) ?? []),
    incomplete: reason || (status === 'incomplete' ? 'max_output_tokens' : ''),
    usage: isRecord(usage) ? toWireUsage(usage) : undefined,
  };
}

function toWireUsage(usage: Record<string, unknown>): Usage {
  const { input_tokens: input, output_tokens: output, input_tokens_details: details } = usage;
  return toUsage({ input, output, details: toRecord(details) });
}

/** The items of the stream, or those of the event that ends it, if the stream lacks some. */
function choose(streamed: readonly Item[], isDone: boolean, output: readonly Item[]): readonly Item[] {
  const filled = output.filter(isFilled);
  return (isDone && streamed.length > 0) || filled.length < streamed.length ? streamed : filled;
}

function toStopReason(incomplete: string, refused: boolean, calls: boolean): StopReason {
  if (incomplete === 'content_filter' || refused) return 'refusal';
  if (incomplete !== '') return 'max_tokens';
  return calls ? 'tool_use' : 'end_turn';
}
