import type { ModelEvent } from '@klaus/core/agent';
import type { Part, StopReason } from '@klaus/core/protocol';
import { parseInput } from '../wire/call-ids.ts';
import { MalformedResponse, ProviderError, StreamCut } from '../wire/errors.ts';
import type { ReadOptions } from '../wire/http-model.ts';
import type { AnswerReader } from '../wire/stream-answer.ts';
import { createAnswerState } from './answer-state.ts';
import { estimateUsage, toUsage } from './usage.ts';

/** A part of a call. Compatible servers omit fields that OpenAI always sends. */
interface CallDelta {
  index?: number | null;
  id?: string | null;
  function?: { name?: string | null; arguments?: string | null } | null;
}

/** One chunk of a chat-completions stream, with additions of compatible servers. */
interface Chunk {
  /** An error after the start of the stream; the other fields are absent. */
  error?: unknown;
  choices?:
    | {
        delta?: {
          content?: string | null;
          refusal?: string | null;
          /** OpenRouter and others. */
          reasoning?: string | null;
          /** DeepSeek, vLLM and others. */
          reasoning_content?: string | null;
          tool_calls?: CallDelta[] | null;
        } | null;
        finish_reason?: string | null;
      }[]
    | null;
  usage?: {
    prompt_tokens?: number | null;
    completion_tokens?: number | null;
    prompt_tokens_details?: { cached_tokens?: number | null; cache_write_tokens?: number | null } | null;
    /** US dollars, exact; OpenRouter only. */
    cost?: number | null;
  } | null;
}

type WireUsage = NonNullable<Chunk['usage']>;

interface Building {
  index: number | undefined;
  id: string | undefined;
  name: string;
  json: string;
}

/**
 * Reads the chunks of one answer of chat-completions. The end marker is a `finish_reason`: not every
 * compatible server sends `[DONE]` or usage after it.
 *
 * @param options.exactCost Whether `usage.cost` is the price that is charged.
 */
export function createAnswerReader(options: ReadOptions & { exactCost: boolean }): AnswerReader {
  const { toCallId, promptBytes, exactCost } = options;
  const calls: Building[] = [];
  const state = createAnswerState();
  let text = '';
  let thinking = '';
  let refused = false;
  let finish: string | undefined;
  let usage: Chunk['usage'];
  return {
    // Usage may follow the last text, so the answer is complete only at the end of the stream.
    isComplete: false,
    *take(taken) {
      if (typeof taken !== 'object' || taken === null) throw new MalformedResponse('A chunk is not an object.');
      const chunk = taken as Chunk;
      if (chunk.error) throw new ProviderError({ body: chunk.error });
      usage = chunk.usage ?? usage;
      const choice = chunk.choices?.[0];
      const { delta } = choice ?? {};
      state.take(delta);
      const reasoning = delta?.reasoning ?? delta?.reasoning_content;
      if (reasoning) {
        thinking += reasoning;
        yield { type: 'thinking', text: reasoning };
      }
      const said = delta?.content || delta?.refusal;
      if (said) {
        text += said;
        refused ||= !delta?.content;
        yield { type: 'text', text: said };
      }
      for (const piece of delta?.tool_calls ?? []) yield growCall(calls, piece);
      finish = choice?.finish_reason ?? finish;
      if (chunk.usage) {
        const isFinal = finish !== undefined;
        yield { type: 'usage', usage: toWireUsage(chunk.usage), isFinal, ...toExact(chunk.usage, exactCost) };
      }
    },
    finish() {
      if (finish === undefined) throw new StreamCut('The stream ended before the answer was complete.');
      const parts: Part[] = [
        ...state.toThinking(thinking, calls.length > 0),
        ...(text === '' ? [] : [{ type: 'text' as const, text }]),
        ...calls.map((call, index) => ({
          type: 'call' as const,
          id: toCallId(call.id, index),
          name: call.name,
          input: parseInput(call.json),
          ...state.ofCall(call),
        })),
      ];
      const answerBytes = thinking.length + text.length + calls.reduce((sum, call) => sum + call.json.length, 0);
      return {
        type: 'finished',
        parts,
        stopReason: refused ? 'refusal' : toStopReason(finish, calls.length > 0),
        usage: usage ? toWireUsage(usage) : estimateUsage(promptBytes, answerBytes),
        ...toExact(usage, exactCost),
      };
    },
  };
}

function toWireUsage({ prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details }: WireUsage) {
  return toUsage({ input, output, details });
}

function toExact(usage: Chunk['usage'], exactCost: boolean): { usd?: number } {
  return exactCost && typeof usage?.cost === 'number' ? { usd: usage.cost } : {};
}

function growCall(calls: Building[], piece: CallDelta): ModelEvent {
  let at = -1;
  if (piece.index != null) at = calls.findIndex((call) => call.index === piece.index);
  // Servers without indices send each call at once, or mark the beginning of a new one by its id.
  else if (!piece.id || calls.at(-1)?.id === piece.id) at = calls.length - 1;
  if (at < 0) {
    at = calls.length;
    calls.push({ index: piece.index ?? undefined, id: piece.id ?? undefined, name: '', json: '' });
  }
  const call = calls[at]!;
  call.id ??= piece.id ?? undefined;
  // Some servers repeat the name in every piece.
  if (call.name === '') call.name = piece.function?.name ?? '';
  const text = piece.function?.arguments ?? '';
  call.json += text;
  return { type: 'call', index: at, name: call.name, text };
}

function toStopReason(finish: string, hasCalls: boolean): StopReason {
  if (finish === 'length') return 'max_tokens';
  if (finish === 'content_filter') return 'refusal';
  // Some servers report `stop` although the answer has calls, and vice versa.
  return hasCalls ? 'tool_use' : 'end_turn';
}
