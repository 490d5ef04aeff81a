import type {
  ContentBlock,
  MessageDeltaUsage,
  RawContentBlockDelta,
  RawMessageStreamEvent,
  Usage as WireUsage,
} from '@anthropic-ai/sdk/resources/messages/messages';
import type { ModelEvent } from '@klaus/core/agent';
import { NO_USAGE, stopReasonSchema, type Part, type StopReason, type Usage } from '@klaus/core/protocol';
import { parseInput, type ToCallId } from '../wire/call-ids.ts';
import { MalformedResponse, ProviderError, StreamCut } from '../wire/errors.ts';
import type { ReadOptions } from '../wire/http-model.ts';
import type { AnswerReader } from '../wire/stream-answer.ts';

/** An incomplete content block. `json` is the received part of a call's arguments. */
interface Building {
  block: ContentBlock;
  text: string;
  signature: string;
  json: string;
  call: number;
}

/** An error that the stream contains instead of an event. */
interface WireError {
  type: 'error';
}

/** Reads the events of one answer of the Messages API. */
export function createAnswerReader({ toCallId }: Pick<ReadOptions, 'toCallId'>): AnswerReader {
  const blocks: (Building | undefined)[] = [];
  let calls = 0;
  let usage = NO_USAGE;
  let stopReason: string | null = null;
  let isComplete = false;
  return {
    get isComplete() {
      return isComplete;
    },
    *take(taken) {
      const event = taken as RawMessageStreamEvent | WireError | null;
      switch (event?.type) {
        case 'error':
          throw new ProviderError({ body: event });
        case 'message_start':
          usage = addWireUsage(usage, event.message?.usage);
          yield { type: 'usage', usage, isFinal: false };
          break;
        case 'content_block_start': {
          const building = start(event.content_block, calls);
          blocks[event.index] = building;
          const { block, text } = building;
          if (block.type === 'tool_use') yield { type: 'call', index: calls++, name: block.name, text: '' };
          else if (text !== '' && (block.type === 'text' || block.type === 'thinking'))
            yield { type: block.type, text };
          break;
        }
        case 'content_block_delta': {
          const building = blocks[event.index];
          if (!building) throw new MalformedResponse(`A delta came for block ${event.index}, which was never begun.`);
          yield* grow(building, event.delta);
          break;
        }
        case 'message_delta':
          stopReason = event.delta?.stop_reason ?? stopReason;
          usage = addWireUsage(usage, event.usage);
          yield { type: 'usage', usage, isFinal: stopReason !== null };
          break;
        case 'message_stop':
          isComplete = true;
          break;
        default: // content_block_stop, pings and what may come later
      }
    },
    finish() {
      if (!isComplete) throw new StreamCut('The stream ended before the answer was complete.');
      const parts = blocks.flatMap((building) => (building ? toPart(building, toCallId) : []));
      return { type: 'finished', parts, stopReason: toStopReason(stopReason, calls > 0), usage };
    },
  };
}

function start(block: ContentBlock | undefined, call: number): Building {
  if (!block) throw new MalformedResponse('A block began without its content.');
  return {
    block,
    text: block.type === 'text' ? (block.text ?? '') : block.type === 'thinking' ? (block.thinking ?? '') : '',
    signature: block.type === 'thinking' ? (block.signature ?? '') : '',
    json: '',
    call,
  };
}

function* grow(building: Building, delta: RawContentBlockDelta): Iterable<ModelEvent> {
  switch (delta?.type) {
    case 'text_delta':
      building.text += delta.text;
      yield { type: 'text', text: delta.text };
      break;
    case 'thinking_delta':
      building.text += delta.thinking;
      yield { type: 'thinking', text: delta.thinking };
      break;
    case 'signature_delta':
      building.signature += delta.signature;
      break;
    case 'input_json_delta':
      building.json += delta.partial_json;
      if (building.block.type === 'tool_use' && delta.partial_json !== '') {
        yield { type: 'call', index: building.call, name: building.block.name, text: delta.partial_json };
      }
      break;
    default: // citations and what may come later
  }
}

function toPart(building: Building, toCallId: ToCallId): Part[] {
  const { block, text, signature, json, call } = building;
  switch (block.type) {
    case 'text':
      return text === '' ? [] : [{ type: 'text', text }];
    case 'thinking':
      return [{ type: 'thinking', text, ...(signature !== '' && { providerState: { data: { signature } } }) }];
    case 'redacted_thinking':
      return [{ type: 'thinking', text: '', providerState: { data: { redacted_thinking: block.data } } }];
    case 'tool_use': {
      const input = json === '' ? (block.input ?? {}) : parseInput(json);
      return [{ type: 'call', id: toCallId(block.id, call), name: block.name, input }];
    }
    default: // what the provider's own tools did; Klaus asks for none of them
      return [];
  }
}

/** Later figures replace earlier ones, because they are running totals; null is ignored. */
function addWireUsage(usage: Usage, wire: WireUsage | MessageDeltaUsage | undefined): Usage {
  return {
    input: wire?.input_tokens ?? usage.input,
    output: wire?.output_tokens ?? usage.output,
    cacheRead: wire?.cache_read_input_tokens ?? usage.cacheRead,
    cacheWrite: wire?.cache_creation_input_tokens ?? usage.cacheWrite,
  };
}

function toStopReason(text: string | null, hasCalls: boolean): StopReason {
  const known = stopReasonSchema.safeParse(text);
  return known.success ? known.data : hasCalls ? 'tool_use' : 'end_turn';
}
