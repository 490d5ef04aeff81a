import {
  addUsage,
  isCharged,
  isOutage,
  NO_USAGE,
  toCalled,
  toText,
  type Event,
  type EventOf,
  type Message,
  type ResultPart,
} from '../../protocol/index.ts';
import { toFinishedCall } from '../calls/call-purpose.ts';
import { countBytes } from '../context/count-bytes.ts';
import { cutInputs } from '../context/cut-input.ts';
import { isApproval } from '../calls/human-approval.ts';
import { foldEnvironment } from '../evidence/check-environment.ts';
import { foldSnapshot } from './fold-snapshot.ts';
import { addUsd, book } from '../budget/ledger.ts';
import { isPinMessage, toPinMessage, toPinsMessage } from '../context/pins.ts';
import type { RunState, State } from './state.ts';

/**
 * Takes one event into the state. The state is changed in place: it has one owner, and copying a history
 * for every event would make a long session quadratic.
 */
export function fold(state: State, event: Event): void {
  state.seq = event.seq;
  book(state.ledger, event);
  switch (event.type) {
    case 'session.opened':
      state.session = event;
      state.model = event.model;
      state.mode = event.mode;
      state.limits = event.limits;
      state.grant = event.grant;
      return;
    case 'session.changed':
      foldChange(state, event);
      return;
    case 'session.closed':
      state.closed = true;
      return;
    case 'run.started':
      foldRunStart(state, event);
      return;
    case 'run.finished':
      delete state.run;
      state.lastRun = event;
      if (event.evidence.length > 0) state.evidence = [...state.evidence, ...event.evidence].slice(-MAX_EVIDENCE);
      // After a cancel, a limit or a failing model nobody wants one more request.
      state.titled = event.turns === 0 || !NAMED_OUTCOMES.has(event.outcome);
      return;
    case 'turn.started':
      foldTurnStart(state, event);
      return;
    case 'model.requested':
      return;
    case 'model.attempted':
      foldAttempt(state, event);
      return;
    case 'turn.finished':
      delete state.openTurn;
      if (state.run) foldStop(state.run, event);
      return;
    case 'message.added':
      foldMessage(state, event.message);
      return;
    case 'tool.started':
      foldStart(state, event);
      return;
    case 'tool.finished':
      foldResult(state, event);
      return;
    case 'approval.asked': {
      state.approvals.set(event.approval, event);
      const { subject } = event;
      const call =
        subject.kind === 'limit' ? undefined : state.calls.find((candidate) => candidate.id === subject.call);
      if (call) {
        call.asked = event;
        call.answer = undefined;
        call.hunks = undefined;
      }
      return;
    }
    case 'approval.answered':
      foldAnswer(state, event);
      return;
    case 'grant.changed':
      state.grant = event.grant;
      return;
    case 'workspace.snapshotted':
      foldSnapshot(state, event);
      return;
    case 'workspace.restored':
      delete state.tree;
      return;
    case 'workspace.committed':
      state.checkpoint = event.commit;
      if (state.run) state.run.checkpointed = true;
      return;
    case 'context.compacted':
      foldCompaction(state, event);
      return;
    case 'context.pinned':
    case 'context.unpinned':
      foldPin(state, event);
      return;
    case 'process.changed':
      foldProcess(state, event);
      return;
    case 'usage.counted':
      state.run?.warned.add(event.limit);
      return;
    case 'gate.decided':
      foldDecision(state, event);
      if (state.turnEffects && isApproval(event)) state.turnEffects.isApproved = true;
      return;
    case 'evidence.verified':
    case 'notice':
      return;
  }
}

function foldRunStart(state: State, event: EventOf<'run.started'>): void {
  // A run that goes on is held to the same beginning.
  state.run = { ...createRun(event), ...(event.trigger === 'resume' && state.base ? { base: state.base } : {}) };
  if (event.trigger !== 'resume') delete state.base;
  delete state.failingSince;
}

function foldTurnStart(state: State, event: EventOf<'turn.started'>): void {
  state.turn = event.turn;
  state.openTurn = event;
  delete state.tree;
  delete state.failingSince;
  if (!isInherited(state)) state.spent.turns++;
  if (state.run) {
    state.run.turns++;
    delete state.run.failure;
  }
}

function foldProcess(state: State, event: EventOf<'process.changed'>): void {
  const { process: id, command, survives } = event;
  state.processes.set(id, { id, command, survives, last: event, isReported: event.call !== undefined });
}

/** Checks of earlier runs that are kept in mind. */
const MAX_EVIDENCE = 40;

const NAMED_OUTCOMES: ReadonlySet<string> = new Set(['done', 'failed', 'denied']);

function foldDecision(state: State, { call: id, verdict, rule }: EventOf<'gate.decided'>): void {
  const call = state.calls.find((candidate) => candidate.id === id);
  if (call) call.decided = { verdict, rule };
}

function foldStart(state: State, event: EventOf<'tool.started'>): void {
  const call = state.calls.find((candidate) => candidate.id === event.call);
  if (call) call.started = event;
  // What may be done again may change files all the same, such as a cache.
  delete state.tree;
  if (event.resume !== 'repeat' && state.run) state.run.acted = true;
  // What a command changed is not known by its result.
  if (event.resume === 'tell' && state.turnEffects) state.turnEffects.isKnown = false;
  state.turnEffects?.tools.add(event.name);
}

function foldChange(state: State, event: EventOf<'session.changed'>): void {
  if (event.title !== undefined) state.title = event.title;
  if (event.summary !== undefined) {
    state.summary = event.summary;
    state.titled = true;
  }
  if (event.model !== undefined) state.model = event.model;
  if (event.mode !== undefined) state.mode = event.mode;
  if (event.limits) state.limits = event.limits;
}

function createRun(event: EventOf<'run.started'>): RunState {
  return {
    id: event.run,
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
    compacted: false,
    checkpointed: false,
    changedFiles: false,
    unreverted: [],
    warned: new Set(),
  };
}

/** True for what a fork took over: the original spent it, and what a human allowed the original holds there alone. */
function isInherited({ seq, session }: State): boolean {
  return session?.forked !== undefined && seq <= session.forked.seq;
}

function foldAttempt(state: State, event: EventOf<'model.attempted'>): void {
  const { run } = state;
  if (run && isCharged(event) && !isInherited(state)) {
    run.usage = addUsage(run.usage, event.usage);
    run.usd = addUsd(run.usd, event.usd);
  }
  if (event.purpose === 'title') return;
  if (event.outcome === 'ok') delete state.failingSince;
  else if (isOutage(event.outcome)) state.failingSince ??= event.at;
  if (event.purpose !== 'turn') return;
  if (event.outcome === 'ok') {
    const { usage } = event;
    state.measured = { bytes: state.bytes, tokens: usage.input + usage.cacheRead + usage.cacheWrite };
    if (run) run.compacted = false;
  } else if (event.retryInMs === undefined && event.outcome !== 'abandoned' && event.outcome !== 'cancelled' && run) {
    delete state.openTurn;
    if (event.outcome === 'context_window' && !run.compacted) run.mustCompact = true;
    else run.failure = { code: event.outcome, message: event.message ?? event.outcome };
  }
}

/** Stops after which the answer is to go on. */
const CUT: ReadonlySet<string> = new Set(['max_tokens', 'pause_turn', 'model_context_window_exceeded']);

function foldStop(run: RunState, event: EventOf<'turn.finished'>): void {
  // A request that was given up says nothing about the last answer.
  if (event.stopReason === 'cancelled') return;
  run.lastStop = event.stopReason;
  const isWhole = !event.empty && !CUT.has(event.stopReason);
  run.continuations = isWhole ? 0 : run.continuations + 1;
  run.empty = event.empty === true;
  if (event.stopReason === 'model_context_window_exceeded') run.mustCompact = true;
}

/** Beginning of the id of a message that tells the model what became of its background processes. */
export const PROCESS_REPORT = 'processes:';

function foldMessage(state: State, message: Message): void {
  if (state.run) state.run.empty = false;
  if (message.id.startsWith(PROCESS_REPORT)) for (const each of state.processes.values()) each.isReported = true;
  if (message.origin === 'user' && state.firstPrompt === undefined) state.firstPrompt = toText(message);
  if (state.calls.length > 0) {
    state.held.push(message);
    return;
  }
  push(state, message);
  if (message.role !== 'assistant') return;
  state.calls = message.parts
    .filter((part) => part.type === 'call')
    .map((part, index) => ({
      id: part.id,
      index,
      ...toCalled(part),
      redacted: part.redacted === true,
    }));
  for (const call of state.calls) state.callIds.add(call.id);
}

function foldResult(state: State, event: EventOf<'tool.finished'>): void {
  const call = state.calls.find((candidate) => candidate.id === event.call);
  if (!call || call.finished) return;
  const wasRun = call.started !== undefined || event.outcome !== 'cancelled';
  delete state.tree;
  // A check has looked at the workspace behind itself.
  if (event.evidence?.tree !== undefined) state.tree = event.evidence.left ?? event.evidence.tree;
  call.finished = { outcome: event.outcome, output: event.output };
  if (wasRun && !isInherited(state)) state.spent.toolCalls++;
  for (const change of event.changes) {
    state.turnEffects?.paths.add(change.path);
    // Of an interrupted call these are all changes since its start, whoever made them.
    if (event.outcome !== 'unknown') state.turnEffects?.edited.set(change.path, change.after);
    if (change.kind === 'deleted') state.deleted.add(change.path);
    else state.deleted.delete(change.path);
  }
  if (state.run) {
    if (wasRun) state.run.toolCalls++;
    state.run.calls.push(toFinishedCall(event, { call, workspace: state.session?.workspace ?? '' }));
    if (event.evidence?.environment) foldEnvironment(state, event.evidence.environment);
    if (event.evidence) state.run.evidence.push({ call: event.call, ...event.evidence });
    state.run.invalidInputs = isInvalidInput(event) ? state.run.invalidInputs + 1 : 0;
  }
  delete call.started;
  if (!state.calls.every((candidate) => candidate.finished)) return;
  const parts: ResultPart[] = state.calls.map((candidate) => ({
    type: 'result',
    call: candidate.id,
    text: candidate.finished!.output,
    isError: candidate.finished!.outcome !== 'ok',
  }));
  state.calls = [];
  push(state, { id: `results-${event.turn}`, role: 'user', origin: 'tools', parts });
  for (const message of state.held.splice(0)) push(state, message);
}

function isInvalidInput(event: EventOf<'tool.finished'>): boolean {
  return (event.detail as { code?: string } | undefined)?.code === 'tool.input';
}

function foldAnswer(state: State, event: EventOf<'approval.answered'>): void {
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

function foldPin(state: State, event: EventOf<'context.pinned'> | EventOf<'context.unpinned'>): void {
  if (event.type === 'context.unpinned') {
    state.pins = state.pins.filter(({ id }) => id !== event.pin);
    return;
  }
  const pin = { id: event.pin, text: event.text, source: event.source };
  state.pins.push(pin);
  if (event.known) return;
  if (state.calls.length > 0) state.held.push(toPinMessage(pin));
  else push(state, toPinMessage(pin));
}

function foldCompaction(state: State, event: EventOf<'context.compacted'>): void {
  if (event.dropped === 0) {
    if (state.run)
      state.run.failure = { code: 'context_window', message: 'the context window is full and nothing can be left out' };
    return;
  }
  const from = state.messages.findIndex((message) => message.id === event.firstKept);
  const kept = from < 0 ? [] : state.messages.slice(from);
  const dropped = from < 0 ? state.messages : state.messages.slice(0, from);
  const context = dropped.filter((message) => message.origin === 'context');
  state.messages = [];
  state.bytes = 0;
  delete state.measured;
  push(state, {
    id: `summary-${event.seq}`,
    role: 'user',
    origin: 'engine',
    parts: [{ type: 'text', text: event.summary }],
  });
  if (state.pins.length > 0) push(state, toPinsMessage(state.pins, event.seq));
  for (const message of [...context, ...kept]) if (!isPinMessage(message)) push(state, message);
  if (state.run) {
    state.run.mustCompact = false;
    state.run.compacted = true;
  }
}

function push(state: State, added: Message): void {
  const message = cutInputs(added);
  state.messages.push(message);
  state.bytes += countMessage(message);
}

/** UTF-8 bytes of a message as far as they become prompt tokens; an image counts as about 1,600 tokens. */
function countMessage(message: Message): number {
  let sum = 0;
  for (const part of message.parts) {
    if (part.type === 'text' || part.type === 'thinking' || part.type === 'result') sum += countBytes(part.text);
    else if (part.type === 'call') sum += countBytes(part.name) + countBytes(JSON.stringify(part.input ?? null));
    else if (part.type === 'file') sum += countBytes(part.name) + countBytes(part.text ?? '');
    else sum += 6_400;
  }
  return sum + 16;
}
