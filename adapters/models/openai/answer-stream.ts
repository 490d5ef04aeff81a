import type { ModelEvent } from '@klaus/core/agent';
import { isRecord, NO_USAGE, type StopReason, type Usage } from '@klaus/core/protocol';
import type { AnswerReader } from '../wire/answer-feed.ts';
import { DONE } from '../wire/body-parser.ts';
import { createContent } from '../wire/content.ts';
import { MalformedResponse, ProviderError, StreamCut } from '../failure/errors.ts';
import type { ReadOptions } from '../wire/http-model.ts';
import { toRecord, toRecords } from '../wire/untrusted.ts';
import { toCount } from '../wire/usage-check.ts';
import { createAnswerState } from './answer-state.ts';
import { CallAssembler } from './call-assembler.ts';
import { toUsage } from './usage.ts';

/** What a chunk adds to the answer. Compatible servers omit fields that OpenAI always sends, and send other types. */
interface Delta {
  /** A text, or a list of parts. */
  content?: unknown;
  refusal?: unknown;
  /** A list, or one call. */
  tool_calls?: unknown;
  /** The predecessor of `tool_calls`. */
  function_call?: unknown;
  /** Reasoning. Some servers send it in several of these fields. */
  reasoning?: unknown;
  reasoning_content?: unknown;
  reasoning_text?: unknown;
  thinking?: unknown;
  reasoning_details?: unknown;
}

interface Choice {
  index?: number | null;
  delta?: Delta | null;
  /** In an answer that is not streamed. Some servers send it in a stream, in place of `delta` or as all so far. */
  message?: Delta | null;
  finish_reason?: string | null;
  /** Moonshot only. */
  usage?: WireUsage | null;
}

/** One chunk of a chat-completions stream, with additions of compatible servers. */
interface Chunk {
  object?: string;
  choices?: Choice[] | null;
  usage?: WireUsage | null;
  /** Groq only. */
  x_groq?: { usage?: WireUsage | null } | null;
}

interface WireUsage {
  prompt_tokens?: number | null;
  completion_tokens?: number | null;
  prompt_tokens_details?: { cached_tokens?: number | null; cache_write_tokens?: number | null } | null;
  /** US dollars, exact; OpenRouter only. */
  cost?: number | null;
}

/**
 * Reads the chunks of one answer of chat-completions. The end marker is a `finish_reason`, because not every compatible
 * server sends `[DONE]` or usage after it; or `[DONE]`, because not every one sends a `finish_reason`.
 *
 * @param options.exactCost Whether `usage.cost` is the price that is charged.
 */
export function createAnswerReader(options: ReadOptions & { exactCost: boolean }): AnswerReader {
  const { toCallId, exactCost } = options;
  const content = createContent();
  const calls = new CallAssembler();
  const state = createAnswerState();
  /** The one that is read, if the answer has several. */
  let ofChoice: number | undefined;
  let isStreamed = false;
  let isEnded = false;
  let isRefused = false;
  let finish: string | undefined;
  let usage: WireUsage | undefined;

  function takeDelta(delta: Delta, events: ModelEvent[]): void {
    state.take(delta);
    const reasoning =
      delta.reasoning || delta.reasoning_content || delta.reasoning_text || delta.thinking || delta.reasoning_details;
    if (reasoning) events.push(...content.takeThinking(reasoning));
    if (delta.content) events.push(...content.take(delta.content));
    else if (delta.refusal) {
      isRefused = true;
      events.push(...content.take(delta.refusal));
    }
    const { tool_calls: called, function_call: only } = delta;
    const pieces = Array.isArray(called) ? called : isRecord(called) ? [called] : [];
    for (const piece of pieces) events.push(...calls.take(piece));
    if (only && pieces.length === 0) events.push(...calls.take({ function: only }));
  }

  return {
    // Usage may follow the last text and the end marker.
    get isComplete() {
      return isEnded && usage !== undefined;
    },
    take(taken) {
      const events: ModelEvent[] = [];
      isEnded ||= taken === DONE;
      if (taken === DONE) return events;
      if (!isRecord(taken)) throw new MalformedResponse('A chunk is not an object.');
      const chunk: Chunk = taken;
      isEnded ||= chunk.object === 'chat.completion';
      let reported: unknown = chunk.usage ?? toRecord(chunk.x_groq)['usage'];
      for (const choice of toRecords(chunk.choices) as Choice[]) {
        reported ??= choice.usage;
        ofChoice ??= choice.index ?? 0;
        if ((choice.index ?? ofChoice) !== ofChoice) continue;
        isStreamed ||= isRecord(choice.delta);
        const delta = isStreamed ? choice.delta : choice.message;
        if (isRecord(delta)) takeDelta(delta, events);
        finish = toReason(choice.finish_reason) ?? finish;
      }
      // Some servers send an empty object with each chunk.
      if (!isUsage(reported)) return events;
      usage = reported;
      const isFinal = finish !== undefined || isEnded || 'error' in chunk;
      events.push({ type: 'usage', usage: toWireUsage(usage), isFinal, ...toExact(usage, exactCost) });
      return events;
    },
    finish() {
      const said = content.finish();
      const thinking = said.find(({ type }) => type === 'thinking');
      const parts = [
        ...state.toThinking(thinking?.type === 'thinking' ? thinking.text : '', calls.count > 0),
        ...said.filter((part) => part !== thinking),
        ...calls.finish(toCallId),
      ];
      const isProper = isEnded && calls.isComplete && (parts.length > 0 || usage !== undefined);
      if (finish === undefined && !isProper) throw new StreamCut('The stream ended before the answer was complete.');
      return {
        type: 'finished',
        parts,
        stopReason: isRefused || content.isRefusal ? 'refusal' : toStopReason(finish ?? '', calls.count > 0),
        usage: usage ? toWireUsage(usage) : NO_USAGE,
        ...toExact(usage, exactCost),
      };
    },
  };
}

function isUsage(value: unknown): value is WireUsage {
  return isRecord(value) && toCount(value['completion_tokens'] ?? value['prompt_tokens']) !== undefined;
}

/** Some servers send a reason with each chunk, which is empty until the last one. */
function toReason(reason: unknown): string | undefined {
  return typeof reason === 'string' && reason !== '' && reason !== 'null' ? reason.toLowerCase() : undefined;
}

function toWireUsage(usage: WireUsage): Usage {
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = usage;
  return toUsage({ input, output, details: toRecord(details) });
}

function toExact(usage: WireUsage | undefined, exactCost: boolean): { usd?: number } {
  return exactCost && typeof usage?.cost === 'number' && usage.cost >= 0 ? { usd: usage.cost } : {};
}

/** Reasons that say that the answer is incomplete because of the server, and the errors that they are. */
const ERRORS: ReadonlyMap<string, string> = new Map([
  ['error', 'server_error'],
  ['abort', 'server_error'],
  ['network_error', 'server_error'],
  ['insufficient_system_resource', 'overloaded_error'], // DeepSeek
]);

/** @throws ProviderError if the reason is an error. */
function toStopReason(finish: string, hasCalls: boolean): StopReason {
  const type = ERRORS.get(finish);
  if (type !== undefined)
    throw new ProviderError({ body: { type, message: `The provider ended the answer: ${finish}.` } });
  if (['length', 'max_tokens', 'model_length'].includes(finish)) return 'max_tokens';
  if (finish === 'model_context_window_exceeded') return finish;
  if (/filter|safety|sensitive|refusal|recitation/.test(finish)) return 'refusal';
  // Some servers report `stop` although the answer has calls, and vice versa.
  return hasCalls ? 'tool_use' : 'end_turn';
}
