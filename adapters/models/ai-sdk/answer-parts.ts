import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { ModelEvent } from '@klaus/core/agent';
import { NO_USAGE, stopReasonSchema, type Part, type StopReason, type Usage } from '@klaus/core/protocol';
import { parseInput, type ToCallId } from '../wire/call-ids.ts';
import { StreamCut } from '../failure/errors.ts';
import { toCount } from '../wire/usage-check.ts';
import { toError } from './errors.ts';
import type { LanguageModelPart, ProviderMetadata } from './language-model.ts';
import { mergeMetadata, toSignatures, toThinking } from './metadata.ts';

/** An incomplete part of the answer. `text` of a call is its input as JSON. */
interface Building {
  type: 'text' | 'thinking' | 'call';
  id: string;
  text: string;
  metadata: ProviderMetadata;
  /** Of a call: the tool, and its position among the calls. */
  name: string;
  index: number;
}

export interface AnswerParts {
  /** @throws ProviderError, ConnectionLost, MalformedResponse for a part that is an error. */
  take(part: LanguageModelPart): ModelEvent[];
  /** The event that ends the stream. @throws StreamCut. */
  finish(): ModelEvent;
}

export function createAnswerParts(options: { toCallId: ToCallId }): AnswerParts {
  const parts: Building[] = [];
  let calls = 0;
  let finished: { reason: LanguageModelV4FinishReason; usage: LanguageModelV4Usage } | undefined;

  const find = (type: Building['type'], id: string): Building | undefined =>
    parts.findLast((part) => part.type === type && part.id === id);
  const begin = (type: Building['type'], id: string, name = ''): Building => {
    const part = { type, id, name, text: '', metadata: {}, index: type === 'call' ? calls++ : -1 };
    parts.push(part);
    return part;
  };
  const grow = (type: Building['type'], { id, delta = '', providerMetadata }: Piece): ModelEvent[] => {
    const part = find(type, id) ?? begin(type, id);
    part.text += delta;
    part.metadata = mergeMetadata(part.metadata, providerMetadata);
    if (delta === '') return [];
    if (type !== 'call') return [{ type, text: delta }];
    return [{ type, index: part.index, name: part.name, text: delta }];
  };
  const complete = (call: Extract<LanguageModelPart, { type: 'tool-call' }>): ModelEvent[] => {
    if (call.providerExecuted) return [];
    const known = find('call', call.toolCallId);
    const part = known ?? begin('call', call.toolCallId, call.toolName);
    const isNew = part.text === '';
    part.text = call.input;
    part.metadata = mergeMetadata(part.metadata, call.providerMetadata);
    return isNew ? [{ type: 'call', index: part.index, name: part.name, text: call.input }] : [];
  };

  return {
    take(part) {
      switch (part.type) {
        case 'text-start':
          begin('text', part.id);
          return grow('text', part);
        case 'reasoning-start':
          begin('thinking', part.id);
          return grow('thinking', part);
        case 'tool-input-start':
          if (part.providerExecuted) return [];
          begin('call', part.id, part.toolName);
          return [{ type: 'call', index: calls - 1, name: part.toolName, text: '' }, ...grow('call', part)];
        case 'text-delta':
        case 'text-end':
          return grow('text', part);
        case 'reasoning-delta':
        case 'reasoning-end':
          return grow('thinking', part);
        case 'tool-input-delta':
          return find('call', part.id) ? grow('call', part) : [];
        case 'tool-call':
          return complete(part);
        case 'finish':
          finished = { reason: part.finishReason, usage: part.usage };
          return [];
        case 'error':
          throw toError(part.error);
        default: // warnings, metadata of the response, and what tools of the provider itself did
          return [];
      }
    },
    finish() {
      if (!finished || isCut(finished.reason)) throw new StreamCut('The stream ended before the answer was complete.');
      return {
        type: 'finished',
        parts: parts.flatMap((part) => toParts(part, options.toCallId)),
        stopReason: toStopReason(finished.reason, calls > 0),
        usage: toUsage(finished.usage),
      };
    },
  };
}

interface Piece {
  id: string;
  delta?: string;
  providerMetadata?: ProviderMetadata;
}

function toParts({ type, id, text, metadata, name, index }: Building, toCallId: ToCallId): Part[] {
  if (type === 'thinking') return [toThinking(text, metadata)].flatMap((part) => part ?? []);
  const signed = toSignatures(metadata);
  if (type === 'text') return text === '' && !signed.providerState ? [] : [{ type, text, ...signed }];
  return [{ type, id: toCallId(id, index), name, input: parseInput(text), ...signed }];
}

/** Providers report the end of the connection as the end of the answer, without a reason of their own. */
function isCut({ unified, raw }: LanguageModelV4FinishReason): boolean {
  return unified === 'interrupted' || (raw === undefined && (unified === 'other' || unified === 'error'));
}

function toStopReason({ unified, raw }: LanguageModelV4FinishReason, hasCalls: boolean): StopReason {
  if (unified === 'length') {
    return raw === 'model_context_window_exceeded' ? raw : 'max_tokens';
  }
  if (unified === 'content-filter') return 'refusal';
  if (hasCalls) return 'tool_use';
  // Anthropic's own names have more reasons, such as a paused turn.
  const known = stopReasonSchema.safeParse(raw);
  return known.success && known.data !== 'tool_use' ? known.data : 'end_turn';
}

/** A count that is missing or none is 0, which the check of usage replaces by an estimate. */
function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  const [total, output] = [toCount(inputTokens?.total), toCount(outputTokens?.total) ?? 0];
  const cacheRead = toCount(inputTokens?.cacheRead) ?? 0;
  const cacheWrite = toCount(inputTokens?.cacheWrite) ?? 0;
  const input =
    toCount(inputTokens?.noCache) ?? (total === undefined ? 0 : Math.max(0, total - cacheRead - cacheWrite));
  // A provider that counts only the cache does not count the prompt.
  return input + (total ?? 0) === 0 ? { ...NO_USAGE, output } : { input, output, cacheRead, cacheWrite };
}
