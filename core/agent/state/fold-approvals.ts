import type { EventOf } from '../../protocol/index.ts';
import { isInherited } from './fold-session.ts';
import type { State } from './state.ts';

export function foldQuestion(state: State, event: EventOf<'approval.asked'>): void {
  state.approvals.set(event.approval, event);
  const { subject } = event;
  const call = subject.kind === 'limit' ? undefined : state.calls.find(({ id }) => id === subject.call);
  if (!call) return;
  call.asked = event;
  call.answer = undefined;
  call.hunks = undefined;
}

export function foldAnswer(state: State, event: EventOf<'approval.answered'>): void {
  const asked = state.approvals.get(event.approval);
  state.approvals.delete(event.approval);
  if (!asked) return;
  if (asked.subject.kind === 'limit') {
    if (event.answer !== 'approved' && event.answer !== 'superseded' && state.run) {
      state.run.limitRefused = asked.subject.limit;
    }
    return;
  }
  const call = state.calls.find((candidate) => candidate.asked?.approval === event.approval);
  if (!call) return;
  call.answer = event.answer === 'superseded' ? undefined : event.answer;
  call.note = event.note;
  call.hunks = event.hunks;
  if (event.remember && event.scope === 'session' && !isInherited(state)) state.remembered.push(event.remember);
  if (event.answer === 'superseded') delete call.asked;
}
