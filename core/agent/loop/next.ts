import { findOpenReds } from '../../policy/index.ts';
import { toText, type Effect } from '../../protocol/index.ts';
import { findOpenDenial } from '../calls/call-purpose.ts';
import type { Forecast } from '../budget/forecast.ts';
import { toUnrevertedEnding } from '../workspace/unreverted-places.ts';
import { findModelLimit, isUnpriced, toolCallsLeft, toReached, type LimitReached } from '../budget/limit-check.ts';
import { openRequestOf, runOf, type CallState, type Ending, type RunState, type State } from '../state/state.ts';

/** What the loop does next. */
export type Action =
  | { kind: 'idle' }
  /** Wait for a human, holding nothing. */
  | { kind: 'park' }
  /** A call was started by a process that is gone. */
  | { kind: 'recover'; call: CallState }
  /** Run these: one call, or several that only read. */
  | { kind: 'calls'; calls: CallState[] }
  /** Charge the request that a process which is gone had sent: what it cost is not known. */
  | { kind: 'chargeAbandoned' }
  /** Keep the state of the workspace behind the effects of a turn. */
  | { kind: 'snapshot' }
  | { kind: 'compact' }
  | { kind: 'model'; forecast: Forecast }
  /** End the open turn: the limits leave no room to ask for it again. */
  | { kind: 'closeTurn' }
  /** Say this to the model, as a line of the engine's own. */
  | { kind: 'nudge'; text: string }
  | { kind: 'limit'; reached: LimitReached }
  | ({ kind: 'finish' } & Ending)
  | { kind: 'title' };

/** What `next` needs to know beside the state. */
export interface Facts {
  effectsOf(tool: string): readonly Effect[];
  /** What the next model request would take. */
  forecast(): Forecast;
  maxRetries: number;
  compactAt: number;
}

/** Decides the next step of a session. Pure: the same state and facts give the same action. */
export function next(state: State, facts: Facts): Action {
  if (!state.session) return { kind: 'idle' };
  const { run } = state;
  if (openRequestOf(state)) return { kind: 'chargeAbandoned' };
  // Also after a run that was cut short: what the user does from now on is not of its last turn.
  if (state.openSnapshot && state.calls.length === 0) return { kind: 'snapshot' };
  if (!run) return state.titled ? { kind: 'idle' } : { kind: 'title' };
  if (run.unreverted.length > 0 && state.calls.length === 0) {
    const { reason, error } = toUnrevertedEnding(run.unreverted);
    return { kind: 'finish', outcome: 'failed', reason, error };
  }
  if (run.limitRefused)
    return {
      kind: 'finish',
      outcome: 'limit',
      reason: `The limit of ${run.limitRefused} was kept.`,
      limit: toReached(state, run.limitRefused, 1),
    };
  if (state.calls.length > 0) return nextCall(state, facts);
  if (run.invalidInputs > facts.maxRetries) {
    const reason = `The model sent invalid tool input ${run.invalidInputs} times in a row.`;
    return { kind: 'finish', outcome: 'failed', reason };
  }
  if (run.failure) {
    return { kind: 'finish', outcome: 'model_failed', reason: `The model failed: ${run.failure.message}` };
  }
  return nextTurn(state, facts);
}

function nextCall(state: State, facts: Facts): Action {
  const open = state.calls.filter((call) => !call.finished);
  // An attempt that may only be repeated with a human's word waits for it like any other call.
  const left = open.find((call) => call.started && !isWaiting(call, state));
  if (left) return { kind: 'recover', call: left };
  const batch = takeBatch(open, facts);
  const runnable = batch.filter((call) => !isWaiting(call, state));
  if (runnable.length === 0) return { kind: 'park' };
  const room = toolCallsLeft(state, runnable.length);
  if (room === 0) return askOrPark(state, toReached(state, 'toolCalls', runnable.length));
  return { kind: 'calls', calls: runnable.slice(0, room) };
}

/** The calls that may run now: all reads at the front, or the one call that is a barrier. */
function takeBatch(open: readonly CallState[], facts: Facts): CallState[] {
  const isRead = (call: CallState): boolean => facts.effectsOf(call.name).every((effect) => effect === 'read');
  const end = open.findIndex((call) => !isRead(call));
  if (end === 0) return open.slice(0, 1);
  return open.slice(0, end < 0 ? open.length : end);
}

function isWaiting(call: CallState, state: State): boolean {
  return call.asked !== undefined && state.approvals.has(call.asked.approval);
}

function askOrPark(state: State, reached: LimitReached): Action {
  for (const asked of state.approvals.values()) {
    if (asked.subject.kind === 'limit' && asked.subject.limit === reached.limit) return { kind: 'park' };
  }
  return { kind: 'limit', reached };
}

function nextTurn(state: State, facts: Facts): Action {
  const run = runOf(state);
  const last = state.messages.at(-1);
  if ((last?.role === 'assistant' || run.empty) && !run.mustCompact && run.turns > 0) {
    const ended = endOf(state, facts);
    if (ended) return ended;
  }
  // A question about a limit waits for its answer, whatever the next step would be.
  if ([...state.approvals.values()].some(({ subject }) => subject.kind === 'limit')) return { kind: 'park' };
  const isBetween = !state.openTurn;
  const { turns } = state.limits;
  // First of all: history is not given up for a turn that may not be taken.
  if (isBetween && turns > 0 && state.spent.turns >= turns) return askOrPark(state, toReached(state, 'turns', 1));
  const forecast = facts.forecast();
  const isFull = forecast.promptTokens > facts.compactAt * forecast.contextWindow;
  if (run.mustCompact || (isFull && !run.compacted)) return { kind: 'compact' };
  if (forecast.promptTokens >= forecast.contextWindow) {
    const reason = 'The context window is full and nothing more can be left out.';
    return { kind: 'finish', outcome: 'failed', reason };
  }
  if (isUnpriced(state, forecast.usd)) {
    const reason =
      forecast.usd === null
        ? `No price is known for ${state.model}, so a budget in dollars cannot be kept. Configure prices.${state.model}.`
        : 'What this session has spent so far has no known price, so a budget in dollars cannot be kept. Set it to 0 to go on.';
    return { kind: 'finish', outcome: 'failed', reason };
  }
  const reached = findModelLimit(state, forecast, isBetween ? 1 : 0);
  if (reached) return isBetween ? askOrPark(state, reached) : { kind: 'closeTurn' };
  return { kind: 'model', forecast };
}

/** What the model's last words mean for the run; undefined: ask it again. */
function endOf(state: State, facts: Facts): Action | undefined {
  const run = runOf(state);
  const last = state.messages.at(-1);
  const finish = (ending: Ending): Action => ({ kind: 'finish', ...ending });
  switch (run.lastStop) {
    case 'refusal':
      return finish({ outcome: 'failed', reason: 'The model refused to go on.' });
    case 'pause_turn':
      return run.continuations > facts.maxRetries
        ? finish({ outcome: 'failed', reason: 'The model paused too often in a row.' })
        : undefined;
    case 'max_tokens':
    case 'model_context_window_exceeded':
      if (run.continuations > facts.maxRetries) {
        return finish({ outcome: 'failed', reason: 'The answer was cut too often in a row.' });
      }
      return { kind: 'nudge', text: 'Your answer was cut. Go on exactly where it stopped.' };
    default:
      if (run.empty || !last || toText(last).trim() === '') {
        return run.continuations > facts.maxRetries
          ? finish({ outcome: 'failed', reason: 'The model ended without a word.' })
          : { kind: 'nudge', text: 'Say in a few words what you did and what the result is.' };
      }
      return finish(judge(run, facts));
  }
}

/** A run that ended by itself: done, unless a check is red or a denial stood in the way. */
function judge(run: RunState, facts: Facts): Ending {
  const changed = run.calls.some(
    (call) => call.outcome !== 'denied' && facts.effectsOf(call.name).some((effect) => effect === 'write'),
  );
  const red = findOpenReds(run.evidence).at(-1);
  if (changed && red) {
    const isLast = run.evidence.at(-1) === red;
    const ended = `${red.command} ended with ${red.exitCode ?? 'a signal'}`;
    const reason = isLast
      ? `The last check failed: ${ended}.`
      : `A check is still red: ${ended} and was not green since.`;
    return { outcome: 'failed', reason };
  }
  const denied = findOpenDenial(run.calls, (tool) => facts.effectsOf(tool));
  if (denied) return { outcome: 'denied', reason: `${denied.name} was denied and nothing took its place.` };
  return { outcome: 'done', reason: 'The model ended its turn.' };
}
