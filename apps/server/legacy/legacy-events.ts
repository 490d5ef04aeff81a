import { toCalled, toText, type Event, type EventOf, type EventType, type Live, type Usage } from '@klaus/sdk';
import { toApprovalEvents } from './approval-events.ts';
import type { CreateLegacyEvent, LegacyEvent } from './legacy-event.ts';
import { RunEnds } from './run-end.ts';
import { toTokens } from './session-usage.ts';

/** One converter for each type of event, so that a new type needs a decision here. */
type Converters = { readonly [T in EventType]: (event: EventOf<T>) => LegacyEvent[] };

const none = (): LegacyEvent[] => [];

/** Events that the older protocol does not have. */
const ignored = {
  'session.opened': none,
  'session.changed': none,
  'session.closed': none,
  'model.requested': none,
  'gate.decided': none,
  'approval.answered': none,
  'approval.changed': none,
  'grant.changed': none,
  'grant.escalated': none,
  'child.opened': none,
  'child.finished': none,
  'child.closed': none,
  'tool.waiting': none,
  'workspace.snapshotted': none,
  'workspace.restored': none,
  'workspace.committed': none,
  'workingCopy.ended': none,
  'evidence.verified': none,
  'context.compacted': none,
  'compaction.requested': none,
  'context.pinned': none,
  'context.unpinned': none,
  'content.refused': none,
  'process.changed': none,
  'runner.opened': none,
  notice: none,
} satisfies Partial<Converters>;

/**
 * Converts the events and in-flight text of one session to the events of the older protocol.
 *
 * @param now Unix milliseconds.
 */
export function createLegacyEvents(session: string, now: () => number = Date.now) {
  let messages = 0;
  let lastRun: string | undefined;
  /** Of the last request of a turn. */
  let usage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  /** Characters of each message that were sent as deltas. */
  const sent = new Map<string, number>();
  /** Calls of the model without a result. The checkpoint of a run is not one of them. */
  const calls = new Set<string>();
  const started = new Map<string, number>();
  const create: CreateLegacyEvent = (name, data) => ({ name, data: { ...data, sessionId: session } });
  const ends = new RunEnds(create);

  const onMessage = ({ message }: EventOf<'message.added'>): LegacyEvent[] => {
    messages += 1;
    if (message.origin !== 'model') return [];
    const events: LegacyEvent[] = [];
    // Text that was not streamed: it comes from another process, or from before the client connected.
    const rest = toText(message).slice(sent.get(message.id) ?? 0);
    sent.delete(message.id);
    if (rest !== '') events.push(create('stream_delta', { delta: rest }));
    for (const part of message.parts) {
      if (part.type !== 'call') continue;
      const { name, input } = toCalled(part);
      calls.add(part.id);
      events.push(create('tool_call', { name, input, id: part.id }));
    }
    return events;
  };

  const onAttempt = (event: EventOf<'model.attempted'>): LegacyEvent[] => {
    // The title is made after the run: its retry is not an error of the run.
    if (event.purpose === 'title') return [];
    if (event.purpose === 'turn') ({ usage } = event);
    if (event.retryInMs === undefined) return [];
    return [create('error', { error: event.message ?? event.outcome, retrying: true })];
  };

  const toProgress = (call: string, progress: string): LegacyEvent => {
    const elapsedMs = now() - (started.get(call) ?? now());
    return create('tool_progress', { toolCallId: call, progress, status: 'running', elapsedMs });
  };

  const converters: Converters = {
    ...ignored,
    'message.added': onMessage,
    'turn.started': () => [create('thinking', { messageCount: messages })],
    'model.attempted': onAttempt,
    'turn.finished': ({ turn, stopReason }) => [create('turn_complete', { turn, ...toTokens(usage), stopReason })],
    'tool.started'({ call, at }) {
      started.set(call, at);
      return [];
    },
    'tool.finished'({ call, output, outcome, durationMs }) {
      calls.delete(call);
      started.delete(call);
      return [create('tool_result', { toolCallId: call, result: output, success: outcome === 'ok', durationMs })];
    },
    'usage.counted': ({ limit, percent, used }) =>
      limit === 'tokens' ? [create('budget_warning', { percentUsed: percent, totalTokens: used })] : [],
    'approval.asked': (event) => toApprovalEvents(event, create),
    'run.started'({ run }) {
      lastRun = run;
      return [];
    },
    'run.finished'() {
      calls.clear();
      started.clear();
      return [];
    },
  };

  return {
    event(event: Event): LegacyEvent[] {
      // The table pairs each type with its converter.
      const convert = converters[event.type] as (event: Event) => LegacyEvent[];
      return [...convert(event), ...ends.add(event)];
    },
    live(live: Live): LegacyEvent[] {
      if (live.type === 'message.delta' && live.part === 'text') {
        const from = sent.get(live.message) ?? 0;
        const delta = live.text.slice(Math.max(0, from - live.offset));
        // The complete message fills a gap.
        if (live.offset > from || delta === '') return [];
        sent.set(live.message, live.offset + live.text.length);
        return [create('stream_delta', { delta })];
      }
      if (live.type !== 'tool.progress' || !calls.has(live.call)) return [];
      return [toProgress(live.call, live.text)];
    },
    /** The elapsed time of each running call. */
    progress: (): LegacyEvent[] => [...started.keys()].map((call) => toProgress(call, '')),
    /** True while calls are running according to the log. */
    get hasRunningCalls(): boolean {
      return started.size > 0;
    },
    get lastRun(): string | undefined {
      return lastRun;
    },
    /** Returns the pending end of a run whose summary will not be made. */
    flushEnd: (): LegacyEvent[] => ends.flush(),
    dropEnd: (): void => ends.drop(),
  };
}
