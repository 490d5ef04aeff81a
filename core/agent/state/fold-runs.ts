import { addUsage, isCharged, isOutage, NO_USAGE, type EventOf } from '../../protocol/index.ts';
import { addSizes } from '../budget/learned-sizes.ts';
import { addReserved, addUsd } from '../budget/ledger.ts';
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
  const isComplete = !event.empty && !CUT.has(event.stopReason);
  run.continuations = isComplete ? 0 : run.continuations + 1;
  run.empty = event.empty === true;
  if (event.stopReason === 'model_context_window_exceeded') run.mustCompact = true;
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
  if (event.outcome === 'ok') {
    const { usage } = event;
    state.measured = { bytes: state.bytes, tokens: usage.input + usage.cacheRead + usage.cacheWrite };
    if (run) Object.assign(run, { compacted: false, overflows: 0 });
  } else if (event.retryInMs === undefined && event.outcome !== 'abandoned' && event.outcome !== 'cancelled' && run) {
    delete state.openTurn;
    // The first compaction may leave out too little, when the window is unknown.
    if (event.outcome === 'context_window' && run.overflows++ < MAX_COMPACTIONS) run.mustCompact = true;
    else run.failure = { code: event.outcome, message: event.message ?? event.outcome };
  }
}

/** Compactions for one turn. Each leaves out a half of the history. */
const MAX_COMPACTIONS = 3;
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
