import type { ModelEvent } from '@klaus/core/agent';
import { isRecord, NO_USAGE, stopReasonSchema, type StopReason, type Usage } from '@klaus/core/protocol';
import type { AnswerReader } from '../wire/answer-feed.ts';
import { DONE } from '../wire/body-parser.ts';
import { StreamCut } from '../failure/errors.ts';
import type { ReadOptions } from '../wire/http-model.ts';
import { toNumber, toRecord, toRecords, toText } from '../wire/untrusted.ts';
import { toCount } from '../wire/usage-check.ts';
import { BlockAssembler } from './block-assembler.ts';

/**
 * Reads the events of one answer of the Messages API. The end marker is `message_stop`; not every compatible server
 * sends it after its stop reason.
 */
export function createAnswerReader({ toCallId }: ReadOptions): AnswerReader {
  const blocks = new BlockAssembler();
  let usage: Usage | undefined;
  let stopReason = '';
  let isEnded = false;
  let isComplete = false;

  function takeContent(event: Record<string, unknown>): ModelEvent[] {
    const { type, content } = event;
    const index = toNumber(event['index']);
    if (type === 'content_block_delta') return blocks.grow(index, toRecord(event['delta']));
    if (type === 'content_block_start' && isRecord(event['content_block'])) {
      return blocks.begin(index, event['content_block']);
    }
    if (type !== 'message') return []; // content_block_stop, pings and what may come later
    // An answer that is not streamed.
    isComplete = true;
    stopReason = toText(event['stop_reason']);
    const list = typeof content === 'string' ? [{ type: 'text', text: content }] : toRecords(content);
    return list.flatMap((block) => blocks.begin(undefined, block));
  }

  return {
    get isComplete() {
      return isComplete;
    },
    take(event) {
      isEnded ||= event === DONE;
      if (!isRecord(event)) return [];
      isComplete ||= event['type'] === 'message_stop';
      stopReason = toText(toRecord(event['delta'])['stop_reason']) || stopReason;
      const events = takeContent(event);
      const reported = event['usage'] ?? toRecord(event['message'])['usage'];
      if (!isRecord(reported)) return events;
      usage = addWireUsage(usage ?? NO_USAGE, reported);
      return [...events, { type: 'usage', usage, isFinal: stopReason !== '' }];
    },
    finish() {
      const parts = blocks.finish(toCallId);
      if (!isComplete && stopReason === '' && !(isEnded && parts.length > 0)) {
        throw new StreamCut('The stream ended before the answer was complete.');
      }
      const hasCalls = parts.some(({ type }) => type === 'call');
      return {
        type: 'finished',
        parts,
        stopReason: toStopReason(stopReason, hasCalls),
        usage: usage ?? NO_USAGE,
      };
    },
  };
}

/** Later figures replace earlier ones, because they are running totals; what is no count is ignored. */
function addWireUsage(usage: Usage, wire: Record<string, unknown>): Usage {
  return {
    input: toCount(wire['input_tokens']) ?? usage.input,
    output: toCount(wire['output_tokens']) ?? usage.output,
    cacheRead: toCount(wire['cache_read_input_tokens']) ?? usage.cacheRead,
    cacheWrite: toCount(wire['cache_creation_input_tokens']) ?? usage.cacheWrite,
  };
}

function toStopReason(text: string, hasCalls: boolean): StopReason {
  const known = stopReasonSchema.safeParse(text);
  return known.success ? known.data : hasCalls ? 'tool_use' : 'end_turn';
}
