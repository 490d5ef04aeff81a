import { NO_LIMITS, type EventOf } from '../../protocol/index.ts';
import type { State } from './state.ts';

export function foldSessionOpening(state: State, event: EventOf<'session.opened'>): void {
  state.session = event;
  state.model = event.model;
  state.fallback = event.fallback ?? [];
  if (event.effort !== undefined) state.effort = event.effort;
  state.mode = event.mode;
  state.limits = { ...NO_LIMITS, ...event.limits };
  state.grant = event.grant;
}

export function foldSessionChange(state: State, event: EventOf<'session.changed'>): void {
  if (event.title !== undefined) state.title = event.title;
  if (event.summary !== undefined) {
    state.summary = event.summary;
    state.titled = true;
  }
  if (event.model !== undefined) state.model = event.model;
  if (event.fallback !== undefined) state.fallback = event.fallback;
  if (event.model !== undefined || event.fallback !== undefined) delete state.substitute;
  if (event.mode !== undefined) state.mode = event.mode;
  if (event.effort !== undefined && event.effort !== state.effort) {
    state.effort = event.effort;
    // A model that does not support it is reported again.
    state.models.clear();
  }
  if (event.limits) state.limits = { ...NO_LIMITS, ...event.limits };
  if (event.onAsk !== undefined && state.run) state.run.onAsk = event.onAsk;
}

export function foldProcess(state: State, event: EventOf<'process.changed'>): void {
  const { process: id, command, survives } = event;
  state.processes.set(id, { id, command, survives, last: event, isReported: event.call !== undefined });
}

/** A fork starts a session of the agent of its own. */
export function foldRunner(state: State, { agentSession }: EventOf<'runner.opened'>): void {
  if (!isInherited(state)) state.agentSession = agentSession;
}

/** True for an event that a fork has copied: the original session spent it, and its approvals apply only there. */
export function isInherited({ seq, session }: State): boolean {
  return session?.forked !== undefined && seq <= session.forked.seq;
}
