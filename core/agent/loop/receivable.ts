import type { Command } from '../../protocol/index.ts';
import { isWaiting, openChildrenOf, type State } from '../state/state.ts';

/** True for a command that `drainInbox` can apply now. */
export function isReceivable(state: State, command: Command): boolean {
  // No message may be added between a request and its answer.
  if (command.type === 'pin') return !state.openTurn;
  // The session is closed after its children.
  if (command.type === 'close') return state.run !== undefined || openChildrenOf(state).length === 0;
  if (command.type === 'shell' || command.type === 'call') return !state.run;
  // A command of the user makes no request before which the context could be compacted.
  if (command.type === 'compact') return state.run?.trigger !== 'shell';
  if (command.type !== 'prompt') return true;
  if (state.closed) return false;
  if (!state.run) return true;
  // Such a run requests no answer of the model.
  if (state.run.trigger === 'compact' || state.run.trigger === 'shell') return false;
  return command.delivery === 'steer' && isAtBoundary(state);
}

/** True if the run only waits for approvals or for child sessions. */
export function isParked(state: State, now: number): boolean {
  const questions = [...state.approvals.values()];
  if (questions.length === 0 && !state.calls.some(({ awaits }) => awaits)) return false;
  if (questions.some((asked) => asked.expiresAt <= now)) return false;
  // A call that a crash interrupted is recovered first.
  return !state.calls.some((call) => call.started && !isWaiting(call, state));
}

/** Between two model requests, with all results in the history. */
function isAtBoundary(state: State): boolean {
  return state.calls.length === 0 && !state.openTurn && state.approvals.size === 0;
}
