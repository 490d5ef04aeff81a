import { findOpenReds } from '../../policy/index.ts';
import { describeAmount, toText, type Effect } from '../../protocol/index.ts';
import { findOpenDenial } from '../calls/call-purpose.ts';
import type { Forecast } from '../budget/forecast.ts';
import type { Ending } from './closing-events.ts';
import { findUsedUp, needsAgentTurn } from './next-agent-turn.ts';
import { toUnrevertedEnding } from '../workspace/unreverted-places.ts';
import {
  countOf,
  findModelLimit,
  isUnpriced,
  toolCallsLeft,
  toReached,
  type LimitReached,
} from '../budget/limit-check.ts';
import {
  isWaiting,
  openChildrenOf,
  openRequestOf,
  runOf,
  type CallState,
  type RunState,
  type State,
} from '../state/state.ts';

export type Action =
  | { kind: 'idle' }
  /** Wait for an approval, or for child sessions, without holding the session. */
  | { kind: 'park' }
  /** Recover a call whose process crashed. */
  | { kind: 'recover'; call: CallState }
  /** Run one call, or several that only read. */
  | { kind: 'calls'; calls: CallState[] }
  /** Charge the request of a crashed process, whose cost is unknown. */
  | { kind: 'chargeAbandoned' }
  /** Take a snapshot of the workspace after the effects of a turn. */
  | { kind: 'snapshot' }
  | { kind: 'compact' }
  | { kind: 'model'; forecast: Forecast }
  /** One turn of an agent that another program drives. */
  | { kind: 'agent' }
  /** Close the open turn: the limits do not allow another request for it, or its agent has ended. */
  | { kind: 'closeTurn' }
  /** Send this message of the engine to the model. */
  | { kind: 'nudge'; text: string }
  | { kind: 'limit'; reached: LimitReached }
  | ({ kind: 'finish' } & Ending)
  | { kind: 'title' };

/** The inputs of `next` in addition to the state. */
export interface Facts {
  effectsOf(tool: string): readonly Effect[];
  forecast(): Forecast;
  maxRetries: number;
  compactAt: number;
}

/** Decides the next step of a session. A pure function of state and facts. */
export function next(state: State, facts: Facts): Action {
  if (!state.session) return { kind: 'idle' };
  const { run } = state;
  if (openRequestOf(state)) return { kind: 'chargeAbandoned' };
  // Also after an interrupted run: later changes of the user do not belong to its last turn.
  if (state.openSnapshot && state.calls.length === 0) return { kind: 'snapshot' };
  // A child session is named after its agent.
  const { parent, runner } = state.session;
  if (!run) return state.titled || parent || runner ? { kind: 'idle' } : { kind: 'title' };
  if (run.unreverted.length > 0 && state.calls.length === 0) {
    const { reason, error } = toUnrevertedEnding(run.unreverted);
    return { kind: 'finish', outcome: 'failed', reason, error };
  }
  if (run.limitRefused) {
    const reached = toReached(state, run.limitRefused, 1);
    const reason = `The limit of ${describeAmount(reached.limit, reached.cap)} was not raised.`;
    return { kind: 'finish', outcome: 'limit', reason, limit: reached };
  }
  if (runner) return nextAgentTurn(state, facts);
  if (state.calls.length > 0) return nextCall(state, facts);
  if (run.trigger === 'shell') return { kind: 'finish', ...judgeCommand(run) };
  if (run.invalidInputs > facts.maxRetries) {
    return fail(`The model sent invalid tool input ${run.invalidInputs} times in a row.`);
  }
  if (run.continuations > facts.maxRetries && state.messages.at(-1)?.origin === 'tools') return fail(CUT_TOO_OFTEN);
  if (run.failure?.code === 'budget') return { kind: 'finish', outcome: 'limit', reason: run.failure.message };
  if (run.failure) {
    return { kind: 'finish', outcome: 'model_failed', reason: `The model failed: ${run.failure.message}` };
  }
  return nextTurn(state, facts);
}

const CUT_TOO_OFTEN = 'The answer was cut off too often in a row.';

function fail(reason: string): Action {
  return { kind: 'finish', outcome: 'failed', reason };
}

/** Open calls and an open turn belong to a process of the agent that has ended. */
function nextAgentTurn(state: State, facts: Facts): Action {
  if (state.calls.length > 0 || state.openTurn) return { kind: 'closeTurn' };
  // An agent that the program started worked in the process of its parent.
  const { parent, forked } = state.session!;
  if (parent && !forked) return fail('The process of the agent that started it ended.');
  if (!needsAgentTurn(state)) {
    const ended = endOf(state, facts);
    if (ended) return ended;
  }
  const reached = findUsedUp(state);
  return reached ? askOrPark(state, reached) : { kind: 'agent' };
}

function nextCall(state: State, facts: Facts): Action {
  const open = state.calls.filter((call) => !call.finished);
  // An interrupted call that needs an approval waits for it like any other call.
  const interrupted = open.find((call) => call.started && !isWaiting(call, state));
  if (interrupted) return { kind: 'recover', call: interrupted };
  const batch = toBatch(open, facts);
  const runnable = batch.filter((call) => !isWaiting(call, state));
  if (runnable.length === 0) return { kind: 'park' };
  const room = toolCallsLeft(state, runnable.length);
  if (room === 0) return askOrPark(state, toReached(state, 'toolCalls', runnable.length));
  return { kind: 'calls', calls: runnable.slice(0, room) };
}

/** The calls that may run now: all leading reads, or one call with other effects. */
function toBatch(open: readonly CallState[], facts: Facts): CallState[] {
  const isRead = (call: CallState): boolean => facts.effectsOf(call.name).every((effect) => effect === 'read');
  const end = open.findIndex((call) => !isRead(call));
  if (end === 0) return open.slice(0, 1);
  return open.slice(0, end < 0 ? open.length : end);
}

function askOrPark(state: State, reached: LimitReached): Action {
  const isAsked = [...state.approvals.values()].some(
    ({ subject }) => subject.kind === 'limit' && subject.limit === reached.limit,
  );
  return isAsked ? { kind: 'park' } : { kind: 'limit', reached };
}

function nextTurn(state: State, facts: Facts): Action {
  const run = runOf(state);
  const last = state.messages.at(-1);
  const isBetween = !state.openTurn;
  const isRequested = run.isCompactionRequested && isBetween;
  if (!isRequested && (last?.role === 'assistant' || run.empty) && !run.mustCompact && run.turns > 0) {
    const ended = endOf(state, facts);
    if (ended) return ended;
  }
  // A question about a limit must be answered before any next step.
  if ([...state.approvals.values()].some(({ subject }) => subject.kind === 'limit')) return { kind: 'park' };
  if (isRequested) return { kind: 'compact' };
  if (run.trigger === 'compact') {
    const reason = run.compacted ? 'The context was compacted.' : 'There was nothing to compact.';
    return { kind: 'finish', outcome: 'done', reason };
  }
  const { turns } = state.limits;
  // Checked before a compaction: no history is dropped for a turn that the limit does not allow.
  if (isBetween && turns > 0 && countOf(state, 'turns') >= turns) return askOrPark(state, toReached(state, 'turns', 1));
  const forecast = facts.forecast();
  const isFull = forecast.promptTokens > facts.compactAt * forecast.contextWindow;
  if (run.mustCompact || (isFull && !run.compacted)) return { kind: 'compact' };
  if (forecast.promptTokens >= forecast.contextWindow) {
    return fail('The context window is full and nothing more can be compacted.');
  }
  if (isUnpriced(state, forecast.usd)) {
    return fail(
      forecast.usd === null
        ? `No price is known for ${state.model}, so a budget in dollars cannot be kept. Configure prices.${state.model}.`
        : 'What this session has spent so far has no known price, so a budget in dollars cannot be kept. Set it to 0 to continue.',
    );
  }
  const reached = findModelLimit(state, forecast, isBetween ? 1 : 0);
  if (reached) return isBetween ? askOrPark(state, reached) : { kind: 'closeTurn' };
  return { kind: 'model', forecast };
}

/** The ending of a run that only ran a command of the user. Its exit code is not judged. */
function judgeCommand({ calls }: RunState): Ending {
  switch (calls.at(-1)?.outcome) {
    case 'denied':
      return { outcome: 'denied', reason: 'The command was denied.' };
    case 'unknown':
      return { outcome: 'failed', reason: 'The outcome of the command is unknown.' };
    default:
      return { outcome: 'done', reason: 'The command ended.' };
  }
}

/** How the last answer ends the run; undefined: request another one. */
function endOf(state: State, facts: Facts): Action | undefined {
  const run = runOf(state);
  const last = state.messages.at(-1);
  const isTooOften = run.continuations > facts.maxRetries;
  switch (run.lastStop) {
    case 'refusal':
      return fail('The model refused to continue.');
    case 'pause_turn':
      return isTooOften ? fail('The model paused too often in a row.') : undefined;
    case 'max_tokens':
    case 'model_context_window_exceeded':
      if (isTooOften) return fail(CUT_TOO_OFTEN);
      return { kind: 'nudge', text: 'Your answer was cut off. Continue exactly where it stopped.' };
    default:
      if (state.session?.runner) return { kind: 'finish', ...judge(run, facts, 'The agent ended its turn.') };
      if (run.empty || !last || toText(last).trim() === '') {
        return isTooOften
          ? fail('The model ended without an answer.')
          : { kind: 'nudge', text: 'Summarize in a few words what you did and what the result is.' };
      }
      return nudgeForChildren(state) ?? { kind: 'finish', ...judge(run, facts) };
  }
}

const UNUSED_RESULTS = 'Agents that you started are still open: ';

/** Asks once before the end of the run closes child sessions whose results the model did not get. */
function nudgeForChildren(state: State): Action | undefined {
  const open = openChildrenOf(state);
  if (open.length === 0) return undefined;
  const isAsked = state.messages
    .slice(-2)
    .some(
      ({ origin, parts: [part] }) =>
        origin === 'engine' && part?.type === 'text' && part.text.startsWith(UNUSED_RESULTS),
    );
  if (isAsked) return undefined;
  const names = open.map(({ agent, id }) => `${agent} (${id})`).join(', ');
  return {
    kind: 'nudge',
    text: `${UNUSED_RESULTS}${names}. Call wait_agents for their results, or end your turn again: then they are closed.`,
  };
}

/** The ending of a run that the model ended: done, unless a check is red, no command could run, or a denied call was not replaced. */
function judge(run: RunState, facts: Facts, reason = 'The model ended its turn.'): Ending {
  const changed = run.calls.some(
    (call) => call.outcome !== 'denied' && facts.effectsOf(call.name).some((effect) => effect === 'write'),
  );
  const red = findOpenReds(run.evidence).at(-1);
  if (changed && red) {
    const isLast = run.evidence.at(-1) === red;
    const ended = `${red.command} ended with ${red.exitCode ?? 'a signal'}`;
    const why = isLast ? `The last check failed: ${ended}.` : `A check still fails: ${ended} and has not passed since.`;
    return { outcome: 'failed', reason: why };
  }
  const denied = findOpenDenial(run.calls, (tool) => facts.effectsOf(tool));
  if (denied) return { outcome: 'denied', reason: `${denied.name} was denied and no other call replaced it.` };
  const commands = run.calls.filter(({ name }) => facts.effectsOf(name).includes('execute'));
  const failure = commands.every((call) => call.failure !== undefined) ? commands.at(-1)?.failure : undefined;
  if (failure !== undefined) {
    const error = {
      code: failure,
      hint: 'The results of the calls name the reason; `klaus doctor` checks the machine.',
    };
    return { outcome: 'failed', reason: 'No command could run on this machine.', error };
  }
  return { outcome: 'done', reason };
}
