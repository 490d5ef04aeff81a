import { addUsage, NO_USAGE, type EventOf, type Usage } from '@klaus/core/protocol';
import type { ChildView } from './child-view.ts';
import type { Conversation } from './conversation.ts';
import type { CallEntry } from './entry.ts';

type ChildUse = EventOf<'child.finished'> | EventOf<'child.closed'>;

/** Changes entries of the conversation, by the id of their call. */
export type ChangeCall = (call: string, to: (entry: CallEntry) => Partial<CallEntry>) => void;

export function foldChildOpening(view: Conversation, event: EventOf<'child.opened'>, change: ChangeCall): void {
  const { child: id, agent, edge, call } = event;
  const none = { usage: NO_USAGE, usd: 0, turns: 0, toolCalls: 0, minutes: 0 };
  set(view, { id, agent, edge, state: 'working', ...none, calls: [call] }, change);
}

export function foldChildUse(view: Conversation, event: ChildUse, change: ChangeCall): void {
  const child = view.children.get(event.child);
  if (!child) return;
  const { usage, usd, turns, toolCalls, minutes = 0 } = event;
  if (view.forked === undefined || event.seq > view.forked.seq) addTotals(view, child, event);
  const end =
    event.type === 'child.closed'
      ? ({ state: 'closed' } as const)
      : ({ state: 'finished', outcome: event.outcome } as const);
  set(view, { ...child, usage, usd, turns, toolCalls, minutes, ...end }, change);
  for (const call of view.waiting) {
    change(call, (entry) => ({ awaits: entry.awaits?.filter((id) => id !== event.child) }));
  }
}

export function foldWait(view: Conversation, event: EventOf<'tool.waiting'>, change: ChangeCall): void {
  view.waiting.add(event.call);
  change(event.call, () => ({ awaits: event.children }));
}

/** The call got a result: it waits no more, and a message shows the agent that it was sent to. */
export function foldChildResult(view: Conversation, event: EventOf<'tool.finished'>, change: ChangeCall): void {
  if (view.waiting.delete(event.call)) change(event.call, () => ({ awaits: undefined }));
  const { child: id } = (event.detail ?? {}) as { child?: unknown };
  const child = typeof id === 'string' ? view.children.get(id) : undefined;
  if (!child) return;
  const isBusy = event.outcome === 'ok' && child.state === 'finished' && !child.calls.includes(event.call);
  const calls = [...new Set([...child.calls, event.call])];
  set(view, { ...child, calls, ...(isBusy ? { state: 'working' } : {}) }, change);
}

function set(view: Conversation, child: ChildView, change: ChangeCall): void {
  view.children.set(child.id, child);
  for (const call of child.calls) change(call, () => ({ child }));
}

/** The totals of a session include what its agents used. The events contain sums, so only the difference is added. */
function addTotals(view: Conversation, before: ChildView, now: ChildUse): void {
  view.usage = addUsage(view.usage, subtract(now.usage, before.usage));
  view.usd = view.usd === null || now.usd === null || before.usd === null ? null : view.usd + now.usd - before.usd;
  view.turns += now.turns - before.turns;
  view.toolCalls += now.toolCalls - before.toolCalls;
  view.minutes += (now.minutes ?? 0) - before.minutes;
}

function subtract(a: Usage, b: Usage): Usage {
  return {
    input: a.input - b.input,
    output: a.output - b.output,
    cacheRead: a.cacheRead - b.cacheRead,
    cacheWrite: a.cacheWrite - b.cacheWrite,
  };
}
