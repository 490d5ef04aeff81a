import { addUsage, NO_USAGE, toText, type Event, type EventOf } from '@klaus/sdk';
import type { Summary } from 'klendathu/contract';

/** What a session has cost and done. */
export type Stats = Pick<
  Summary,
  'turns' | 'cost' | 'inputTokens' | 'outputTokens' | 'totalTokens' | 'cachedInputTokens' | 'toolCallsCount'
>;

export const NO_STATS: Stats = {
  turns: 0,
  cost: 0,
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  toolCallsCount: 0,
};

/** What is read of a log at the end of a session. */
export interface LogEnd {
  stats: Stats;
  /** The last text of the model. */
  text: string;
  /** The end of the last run. */
  finished?: EventOf<'run.finished'>;
  /** The last failure of a request to the model. */
  attempt?: EventOf<'model.attempted'>;
  seq: number;
}

export async function readLogEnd(events: AsyncIterable<Event>): Promise<LogEnd> {
  let usage = NO_USAGE;
  const end: LogEnd = { stats: { ...NO_STATS }, text: '', seq: 0 };
  const { stats } = end;
  let toolCallsCount = 0;
  for await (const event of events) {
    end.seq = event.seq;
    if (event.type === 'turn.finished') stats.turns++;
    if (event.type === 'tool.finished') toolCallsCount++;
    if (event.type === 'run.finished') end.finished = event;
    if (event.type === 'model.attempted') {
      usage = addUsage(usage, event.usage);
      stats.cost += event.usd ?? 0;
      if (event.outcome !== 'ok') end.attempt = event;
    }
    if (event.type === 'message.added' && event.message.origin === 'model') {
      const text = toText(event.message).trim();
      if (text !== '') end.text = text;
    }
  }
  const inputTokens = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    ...end,
    stats: {
      ...stats,
      toolCallsCount,
      inputTokens,
      outputTokens: usage.output,
      totalTokens: inputTokens + usage.output,
      cachedInputTokens: usage.cacheRead,
    },
  };
}
