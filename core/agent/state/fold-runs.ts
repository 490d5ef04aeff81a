import { addUsage, isCharged, isOutage, NO_USAGE, type EventOf } from '../../protocol/index.ts';
import { addSizes } from '../budget/learned-sizes.ts';
import { addReserved, addUsd } from '../budget/ledger.ts';
import { foldRefusedAttempt } from './fold-refusals.ts';
import { isInherited } from './fold-session.ts';
import type { RunState, State } from './state.ts';

/** Checks of earlier runs that the state contains. */
const MAX_EVIDENCE = 40;

/** Outcomes after which a title is requested. */
const TITLED_OUTCOMES: ReadonlySet<string> = new Set(['done', 'failed', 'denied']);

export function foldRunStart(state: State, event: EventOf<'run.started'>): void {
  // A resumed run is compared with the same base.
  state.run = { ...createRun(event), ...(event.trigger === 'resume' && state.base ? { base: state.base } : {}) };
  if (event.trigger === 'prompt' || event.trigger === 'shell') delete state.base;
  if (event.trigger === 'prompt') {
    state.denials = [];
    delete state.plan;
  }
  delete state.failingSince;
}

export function foldRunEnd(state: State, event: EventOf<'run.finished'>): void {
  delete state.run;
  state.lastRun = event;
  if (event.evidence.length > 0) state.evidence = [...state.evidence, ...event.evidence].slice(-MAX_EVIDENCE);
  // A door that ends the run with its result names the session itself.
  state.titled = event.turns === 0 || event.by !== undefined || !TITLED_OUTCOMES.has(event.outcome);
}

export function foldTurnStart(state: State, event: EventOf<'turn.started'>): void {
  state.turn = event.turn;
  state.models.add(event.model);
  state.openTurn = event;
  state.contextWindow = event.modelInfo?.contextWindow;
  state.prompted = state.messages.length;
  delete state.tree;
  delete state.failingSince;
  if (!isInherited(state)) state.spent.turns++;
  if (state.run) {
    state.run.turns++;
    delete state.run.interrupted;
    delete state.run.failure;
  }
}

/** Stop reasons after which the answer is to be continued. */
const CUT: ReadonlySet<string> = new Set(['max_tokens', 'pause_turn', 'model_context_window_exceeded']);

export function foldTurnEnd(state: State, event: EventOf<'turn.finished'>): void {
  delete state.openTurn;
  const { run } = state;
  // A cancelled request does not change what is known of the last answer.
  if (!run) return;
  if (event.stopReason === 'cancelled') {
    run.interrupted = true;
    return;
  }
  run.lastStop = event.stopReason;
  const calls = state.calls.length > 0;
  const isCutCall = calls && foldCutCall(state, run, event.stopReason);
  const isComplete = !event.empty && (!CUT.has(event.stopReason) || (calls && !isCutCall));
  run.continuations = isComplete ? 0 : run.continuations + 1;
  run.empty = event.empty === true;
  if (event.stopReason === 'model_context_window_exceeded') run.mustCompact = true;
}

/**
 * Marks the call within which an answer was cut: its last part. Some servers complete the JSON of such a call, so that
 * valid arguments do not show that all of them were sent; the calls before it are complete, because the model had
 * continued. The same complete call is run if it is cut again: a server that reports every answer as cut is no reason
 * to run none of its calls.
 */
function foldCutCall(state: State, run: RunState, stopReason: EventOf<'turn.finished'>['stopReason']): boolean {
  if (stopReason !== 'max_tokens' && stopReason !== 'model_context_window_exceeded') return false;
  const call = state.calls.at(-1)!;
  if (state.session?.runner || state.messages.at(-1)?.parts.at(-1)?.type !== 'call') return false;
  const key = JSON.stringify([call.name, call.input]);
  if (typeof call.input !== 'string' && run.cuts.lastCall === key) return false;
  const raisesOutput = stopReason === 'max_tokens' && !run.cuts.isOutputRaised;
  call.cut = { stopReason, tokens: run.cuts.answerTokens, raisesOutput };
  run.cuts.lastCall = key;
  run.cuts.isOutputRaised ||= raisesOutput;
  return true;
}

export function foldAttempt(state: State, event: EventOf<'model.attempted'>): void {
  const { run } = state;
  if (run && isCharged(event) && !isInherited(state)) {
    run.usage = addUsage(run.usage, event.usage);
    run.usd = addUsd(run.usd, event.usd);
    if (event.held) run.held = addReserved(run.held, event.held);
    if (event.estimated) run.estimated = true;
  }
  state.learned = addSizes(state.learned, event);
  if (event.review) foldVerdict(state, event.review);
  if (SIDE_PURPOSES.has(event.purpose)) return;
  if (event.outcome === 'ok') delete state.failingSince;
  else if (isOutage(event.outcome)) state.failingSince ??= event.at;
  if (event.purpose !== 'turn') return;
  foldRefusedAttempt(state, event);
  if (event.outcome === 'ok') {
    if (event.model !== state.substitute?.model) delete state.substitute;
    const { usage } = event;
    state.measured = { bytes: state.bytes, tokens: usage.input + usage.cacheRead + usage.cacheWrite };
    if (run) {
      run.compacted = false;
      run.overflows = 0;
      run.cuts.answerTokens = usage.output;
    }
  } else if (event.retryInMs === undefined && event.outcome !== 'abandoned' && event.outcome !== 'cancelled' && run) {
    delete state.openTurn;
    if (event.fallback) return foldFallback(state, event.fallback, event.model);
    // The first compaction may leave out too little, when the window is unknown.
    if (event.outcome === 'context_window' && run.overflows++ < MAX_COMPACTIONS) run.mustCompact = true;
    else {
      run.failure = { code: event.outcome, message: event.message ?? event.outcome };
      // The next run tries the model of the session again.
      delete state.substitute;
    }
  }
}

/** Compactions for one turn. Each leaves out a half of the history. */
const MAX_COMPACTIONS = 3;

function foldFallback(
  state: State,
  { model, until }: NonNullable<EventOf<'model.attempted'>['fallback']>,
  failed: string,
): void {
  const { substitute } = state;
  const failures = (substitute?.failures ?? 0) + (failed === substitute?.model ? 0 : 1);
  state.substitute = { model, until, failures };
  // Another model counts tokens in another way, and its outage is another one.
  delete state.measured;
  delete state.failingSince;
}

/** Requests whose failures do not concern those of turns. */
const SIDE_PURPOSES: ReadonlySet<string> = new Set(['title', 'review', 'search', 'program']);
/** Verdicts that the state contains. */
const MAX_REVIEWS = 200;

function foldVerdict(
  { reviews }: State,
  { contentHash, ...review }: NonNullable<EventOf<'model.attempted'>['review']>,
): void {
  reviews.set(contentHash, review);
  if (reviews.size > MAX_REVIEWS) reviews.delete(reviews.keys().next().value!);
}

function createRun(event: EventOf<'run.started'>): RunState {
  return {
    id: event.run,
    trigger: event.trigger,
    onAsk: event.onAsk,
    waitForModelMs: event.waitForModelMs ?? 0,
    usage: NO_USAGE,
    usd: 0,
    turns: 0,
    toolCalls: 0,
    evidence: [],
    acted: false,
    calls: [],
    invalidInputs: 0,
    continuations: 0,
    cuts: { answerTokens: 0, isOutputRaised: false },
    empty: false,
    mustCompact: false,
    isCompactionRequested: false,
    compacted: false,
    overflows: 0,
    checkpointed: false,
    changedFiles: false,
    unreverted: [],
    warned: new Set(),
  };
}
