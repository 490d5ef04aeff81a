import { unite } from '../../policy/index.ts';
import { addUsage, NO_LIMITS, NO_USAGE, type EventOf, type Usage } from '../../protocol/index.ts';
import { addUsd } from '../budget/ledger.ts';
import { isInherited } from './fold-session.ts';
import type { State } from './state.ts';

export function foldChildOpening(state: State, event: EventOf<'child.opened'>): void {
  if (isInherited(state)) return;
  const { child: id, call, run, agent, edge, definition, limits, escalation } = event;
  const grant = escalation ? unite([event.grant, escalation]) : event.grant;
  state.children.set(id, {
    ...{ id, call, run, agent, edge, definition, grant, limits: { ...NO_LIMITS, ...limits } },
    isClosed: false,
    usage: NO_USAGE,
    usd: 0,
    turns: 0,
    toolCalls: 0,
    minutes: 0,
  });
}

export function foldChildFinish(state: State, event: EventOf<'child.finished'>): void {
  const child = count(state, event);
  if (!child) return;
  child.finished = { run: event.finished, outcome: event.outcome };
  foldEnd(state, event.child);
}

export function foldChildClosing(state: State, event: EventOf<'child.closed'>): void {
  const child = count(state, event);
  if (!child) return;
  child.isClosed = true;
  foldEnd(state, event.child);
}

export function foldWait(state: State, event: EventOf<'tool.waiting'>): void {
  const call = state.calls.find(({ id }) => id === event.call);
  if (call) call.awaits = { children: new Set(event.children), any: event.any };
}

/** A call that waits is woken when enough children have ended. */
function foldEnd(state: State, child: string): void {
  for (const call of state.calls) {
    if (!call.awaits?.children.delete(child)) continue;
    if (call.awaits.any || call.awaits.children.size === 0) delete call.awaits;
  }
}

/** Adds what a child used since its last event to the present run. */
function count(state: State, event: EventOf<'child.finished' | 'child.closed'>) {
  const { child: id, usage, usd, turns, toolCalls, minutes = 0 } = event;
  const child = isInherited(state) ? undefined : state.children.get(id);
  if (!child) return undefined;
  if (state.run) {
    state.run.usage = addUsage(state.run.usage, subtract(usage, child.usage));
    state.run.usd =
      usd === null || child.usd === null ? addUsd(state.run.usd, null) : addUsd(state.run.usd, usd - child.usd);
  }
  return Object.assign(child, { usage, usd, turns, toolCalls, minutes });
}

function subtract(a: Usage, b: Usage): Usage {
  return {
    input: a.input - b.input,
    output: a.output - b.output,
    cacheRead: a.cacheRead - b.cacheRead,
    cacheWrite: a.cacheWrite - b.cacheWrite,
  };
}
