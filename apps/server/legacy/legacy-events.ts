import { toCalled, toText, type Event, type EventOf, type Live } from '@klaus/sdk';
import type { LegacyEvent, ToNamed } from './legacy-event.ts';
import { toQuestions } from './approval-events.ts';
import { RunEnds } from './run-end.ts';
import { toInputTokens } from './session-usage.ts';

/** Folds the events of one session, and live text in between, into what clients of the older protocol read. */
export interface LegacyEvents {
  event(event: Event): LegacyEvent[];
  live(live: Live): LegacyEvent[];
  /** How long each call has been running. */
  progress(): LegacyEvent[];
  /** True while calls are running, as far as the log says. */
  readonly hasRunningCalls: boolean;
  /** The run that began last. */
  readonly lastRun: string | undefined;
  /** Tells the end of a run that waits for its summary, which nobody makes. */
  settle(): LegacyEvent[];
  /** Leaves out the end of a run that waits for its summary. */
  forgetEnd(): void;
}

/** @param now Unix milliseconds. */
export function createLegacyEvents(session: string, now: () => number = Date.now): LegacyEvents {
  let messages = 0;
  let lastRun: string | undefined;
  let attempted: EventOf<'model.attempted'> | undefined;
  /** Characters of each message that were told as deltas. */
  const told = new Map<string, number>();
  /** Calls of the model without a result yet. The checkpoint of a run is none: clients never heard of it. */
  const calls = new Set<string>();
  /** When each running call began. */
  const started = new Map<string, number>();
  const named: ToNamed = (name, data) => ({ name, data: { ...data, sessionId: session } });
  const ends = new RunEnds(named);

  const onMessage = ({ message }: EventOf<'message.added'>): LegacyEvent[] => {
    messages += 1;
    if (message.origin !== 'model') return [];
    const events: LegacyEvent[] = [];
    // What did not come live, because it was written by another process or before this client came.
    const rest = toText(message).slice(told.get(message.id) ?? 0);
    told.delete(message.id);
    if (rest !== '') events.push(named('stream_delta', { delta: rest }));
    for (const part of message.parts) {
      if (part.type !== 'call') continue;
      const { name, input } = toCalled(part);
      calls.add(part.id);
      events.push(named('tool_call', { name, input, id: part.id }));
    }
    return events;
  };

  const onAttempt = (event: EventOf<'model.attempted'>): LegacyEvent[] => {
    // A title that is made once more is no error of the run, which is over.
    if (event.purpose === 'title') return [];
    if (event.purpose === 'turn') attempted = event;
    if (event.retryInMs === undefined) return [];
    return [named('error', { error: event.message ?? event.outcome, retrying: true })];
  };

  const toProgress = (call: string, progress: string): LegacyEvent => {
    const elapsedMs = now() - (started.get(call) ?? now());
    return named('tool_progress', { toolCallId: call, progress, status: 'running', elapsedMs });
  };

  const toNamed = (event: Event): LegacyEvent[] => {
    switch (event.type) {
      case 'message.added':
        return onMessage(event);
      case 'turn.started':
        return [named('thinking', { messageCount: messages })];
      case 'model.attempted':
        return onAttempt(event);
      case 'turn.finished':
        return [named('turn_complete', { turn: event.turn, ...toTokens(attempted), stopReason: event.stopReason })];
      case 'tool.started':
        started.set(event.call, event.at);
        return [];
      case 'tool.finished':
        calls.delete(event.call);
        started.delete(event.call);
        return [named('tool_result', toResult(event))];
      case 'usage.counted':
        if (event.limit !== 'tokens') return [];
        return [named('budget_warning', { percentUsed: event.percent, totalTokens: event.used })];
      case 'approval.asked':
        return toQuestions(event, named);
      case 'run.started':
        lastRun = event.run;
        return [];
      case 'run.finished':
        calls.clear();
        started.clear();
        return [];
      default:
        return [];
    }
  };

  return {
    event: (event) => [...toNamed(event), ...ends.take(event)],
    live(live) {
      if (live.type === 'message.delta' && live.part === 'text') {
        const from = told.get(live.message) ?? 0;
        const delta = live.text.slice(Math.max(0, from - live.offset));
        // A gap is filled by the message itself.
        if (live.offset > from || delta === '') return [];
        told.set(live.message, live.offset + live.text.length);
        return [named('stream_delta', { delta })];
      }
      if (live.type !== 'tool.progress' || !calls.has(live.call)) return [];
      return [toProgress(live.call, live.text)];
    },
    progress: () => [...started.keys()].map((call) => toProgress(call, '')),
    get hasRunningCalls() {
      return started.size > 0;
    },
    get lastRun() {
      return lastRun;
    },
    settle: () => ends.settle(),
    forgetEnd: () => ends.forget(),
  };
}

function toTokens(attempted: EventOf<'model.attempted'> | undefined): Record<string, number> {
  const usage = attempted?.usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    inputTokens: toInputTokens(usage),
    outputTokens: usage.output,
    cacheReadTokens: usage.cacheRead,
    cacheWriteTokens: usage.cacheWrite,
  };
}

function toResult({ call, output, outcome, durationMs }: EventOf<'tool.finished'>): Record<string, unknown> {
  return { toolCallId: call, result: output, success: outcome === 'ok', durationMs };
}
