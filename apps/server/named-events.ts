import { toCalled, toText, type Event, type EventOf, type Live } from '@klaus/sdk';

/** An event under the name and with the payload of the older protocol. */
export interface NamedEvent {
  name: string;
  data: Record<string, unknown>;
}

/** Folds the events of one session, and live text in between, into what clients of the older protocol read. */
export interface NamedEvents {
  event(event: Event): NamedEvent[];
  live(live: Live): NamedEvent[];
}

/** @param now Unix milliseconds. */
export function createNamedEvents(session: string, now: () => number = Date.now): NamedEvents {
  let messages = 0;
  let attempted: EventOf<'model.attempted'> | undefined;
  /** Characters of each message that were told as deltas. */
  const told = new Map<string, number>();
  const started = new Map<string, number>();
  const total = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const named = (name: string, data: Record<string, unknown>): NamedEvent => ({
    name,
    data: { ...data, sessionId: session },
  });

  const onMessage = ({ message }: EventOf<'message.added'>): NamedEvent[] => {
    messages += 1;
    if (message.origin !== 'model') return [];
    const events: NamedEvent[] = [];
    // What did not come live, because it was written by another process or before this client came.
    const rest = toText(message).slice(told.get(message.id) ?? 0);
    told.delete(message.id);
    if (rest !== '') events.push(named('stream_delta', { delta: rest }));
    for (const part of message.parts) {
      if (part.type !== 'call') continue;
      const { name, input } = toCalled(part);
      events.push(named('tool_call', { name, input, id: part.id }));
    }
    return events;
  };

  const onAttempt = (event: EventOf<'model.attempted'>): NamedEvent[] => {
    total.inputTokens += event.usage.input;
    total.outputTokens += event.usage.output;
    total.cacheReadTokens += event.usage.cacheRead;
    total.cacheWriteTokens += event.usage.cacheWrite;
    if (event.purpose === 'turn') attempted = event;
    if (event.retryInMs === undefined) return [];
    return [named('error', { error: event.message ?? event.outcome, retrying: true })];
  };

  const onEnd = (event: EventOf<'run.finished'>): NamedEvent[] => {
    const tokens = total.inputTokens + total.outputTokens + total.cacheWriteTokens;
    const facts = {
      summary: event.reason,
      outcome: event.outcome,
      turns: event.turns,
      toolCalls: event.toolCalls,
      tokenUsage: { ...total, totalTokens: tokens, cost: event.usd },
    };
    if (event.outcome === 'done') return [named('complete', facts)];
    if (event.outcome === 'limit' && event.limit?.limit === 'tokens') {
      return [
        named('budget_exceeded', { totalTokens: event.limit.used, limit: event.limit.cap }),
        named('complete', facts),
      ];
    }
    return [named('error', { error: event.reason, outcome: event.outcome })];
  };

  return {
    event(event) {
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
          started.delete(event.call);
          return [named('tool_result', toResult(event))];
        case 'usage.counted':
          if (event.limit !== 'tokens') return [];
          return [named('budget_warning', { percentUsed: event.percent, totalTokens: event.used })];
        case 'approval.asked':
          return [toQuestion(event, named)];
        case 'run.finished':
          return onEnd(event);
        default:
          return [];
      }
    },
    live(live) {
      if (live.type === 'message.delta' && live.part === 'text') {
        const from = told.get(live.message) ?? 0;
        const delta = live.text.slice(Math.max(0, from - live.offset));
        // A gap is filled by the message itself.
        if (live.offset > from || delta === '') return [];
        told.set(live.message, live.offset + live.text.length);
        return [named('stream_delta', { delta })];
      }
      if (live.type === 'tool.progress') {
        const elapsedMs = now() - (started.get(live.call) ?? now());
        return [named('tool_progress', { toolCallId: live.call, progress: live.text, status: 'running', elapsedMs })];
      }
      return [];
    },
  };
}

function toTokens(attempted: EventOf<'model.attempted'> | undefined): Record<string, number> {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = attempted?.usage ?? {};
  return { inputTokens: input, outputTokens: output, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite };
}

function toResult({ call, output, outcome, durationMs }: EventOf<'tool.finished'>): Record<string, unknown> {
  return { toolCallId: call, result: output, success: outcome === 'ok', durationMs };
}

const OPERATIONS = { created: 'create', deleted: 'delete' } as const;

function toQuestion(
  { approval, subject, title, reason }: EventOf<'approval.asked'>,
  named: (name: string, data: Record<string, unknown>) => NamedEvent,
): NamedEvent {
  if (subject.kind === 'limit') {
    const { limit, used, cap, offer } = subject;
    return named('patch_approval_required', {
      patchId: approval,
      filePath: '',
      diff: '',
      operation: 'limit',
      title,
      reason,
      limit: { limit, used, cap, offer },
    });
  }
  const hunk = subject.hunks?.[0];
  const kind = hunk?.kind === 'created' || hunk?.kind === 'deleted' ? OPERATIONS[hunk.kind] : 'modify';
  return named('patch_approval_required', {
    patchId: approval,
    filePath: hunk?.path ?? '',
    diff: subject.diff ?? '',
    operation: hunk ? kind : 'execute',
    title,
    reason,
    ...(subject.command === undefined ? {} : { command: subject.command }),
  });
}
