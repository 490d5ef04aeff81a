import { toTodoList, type EventOf, type Part, type Review } from '../../protocol/index.ts';
import { toDenialKey } from '../../policy/workaround.ts';
import { toFinishedCall } from '../calls/call-purpose.ts';
import { isApproval } from '../calls/human-approval.ts';
import { toUserCommandResult } from '../context/user-command.ts';
import { foldEnvironment } from '../evidence/check-environment.ts';
import { pushMessage } from './fold-messages.ts';
import { foldFetch, foldInterrupted, foldUntrusted } from './fold-taint.ts';
import { isInherited } from './fold-session.ts';
import { toNamedTexts } from './named-texts.ts';
import type { CallState, State } from './state.ts';

export function foldDecision(state: State, event: EventOf<'gate.decided'>): void {
  const call = state.calls.find(({ id }) => id === event.call);
  if (call) {
    call.decided = { verdict: event.verdict, rule: event.rule };
    if (isAnotherAttempt(call, event)) foldInterrupted(state, call.id);
  }
  if (state.turnEffects && isApproval(event)) {
    state.turnEffects.isApproved = true;
    if (call)
      state.turnEffects.approved.push(...toNamedTexts(call, call.asked), ...event.findings.map(({ reason }) => reason));
  }
  // Without a user, a question is a denial.
  const isDenial = event.verdict === 'ask' ? state.run?.onAsk === 'deny' : event.verdict === 'deny' && event.reviews;
  if (isDenial) state.denials.push({ at: event.at, key: toDenialKey('call', event.rule, event.reason) });
  if (event.reviews) foldReviews(state, event.reviews);
}

/** True if the process of the attempt before ended, and the call is judged again. */
function isAnotherAttempt({ started }: CallState, { attempt, phase }: EventOf<'gate.decided'>): boolean {
  return started !== undefined && !started.observed && phase === undefined && attempt > started.attempt;
}

function foldReviews(state: State, reviews: readonly Review[]): void {
  for (const { reviewer, decidedBy, outcome } of reviews) {
    if (reviewer === 'error-acknowledge') state.errorsReviewed = state.messages.at(-1)?.id ?? '';
    if (decidedBy === 'unavailable' && outcome === 'pass') state.isReviewMissing = true;
  }
}

export function foldQuestion(state: State, event: EventOf<'approval.asked'>): void {
  state.approvals.set(event.approval, event);
  const { subject } = event;
  // A question of a running tool is no question about its call.
  const isOfCall = subject.kind !== 'limit' && subject.kind !== 'input';
  const call = !isOfCall ? undefined : state.calls.find(({ id }) => id === subject.call);
  if (!call) return;
  call.asked = event;
  call.answer = undefined;
  call.hunks = undefined;
}

export function foldAnswer(state: State, event: EventOf<'approval.answered'>): void {
  const asked = state.approvals.get(event.approval);
  state.approvals.delete(event.approval);
  if (!asked || asked.subject.kind === 'input') return;
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
  call.plan = event.plan;
  if (asked.subject.kind === 'plan' && event.answer === 'approved') state.plan = event.plan ?? asked.subject.plan;
  foldApproval(state, asked, event);
  if (event.answer === 'superseded') delete call.asked;
}

/** Keeps an approval whose scope can be changed. An approval of a part of a change has no other scope than `once`. */
function foldApproval(state: State, { subject }: EventOf<'approval.asked'>, event: EventOf<'approval.answered'>): void {
  if (event.answer !== 'approved' || event.hunks || subject.kind !== 'call' || isInherited(state)) return;
  // For a child session, the scope `session` gave authority instead.
  const remember = event.remember ?? (subject.escalation ? undefined : subject.remember);
  if (!remember) return;
  state.approved.set(event.approval, { call: subject.call, scope: event.scope ?? 'once', remember });
}

export function foldScope(state: State, { approval, scope }: EventOf<'approval.changed'>): void {
  const given = state.approved.get(approval);
  if (given) given.scope = scope;
}

export function foldStart(state: State, event: EventOf<'tool.started'>): void {
  const call = state.calls.find((candidate) => candidate.id === event.call);
  if (call) {
    call.started = event;
    delete call.awaits;
  }
  // A repeatable call can change files too, such as a cache.
  delete state.tree;
  if (event.resume !== 'repeat' && state.run) state.run.acted = true;
  // The result of a command does not list its changes.
  if (event.resume === 'tell' && state.turnEffects) state.turnEffects.isKnown = false;
  if (state.turnEffects) {
    state.turnEffects.tools.add(event.name);
    state.turnEffects.last = { call: event.call, index: event.index, name: event.name };
  }
  foldFetch(state, event);
}

export function foldFinish(state: State, event: EventOf<'tool.finished'>): void {
  const call = state.calls.find((candidate) => candidate.id === event.call);
  if (!call || call.finished) return;
  const wasRun = call.started !== undefined || event.outcome !== 'cancelled';
  delete state.tree;
  // A check takes a snapshot after it has run.
  if (event.evidence?.tree !== undefined) state.tree = event.evidence.left ?? event.evidence.tree;
  call.finished = { outcome: event.outcome, output: event.output, images: event.images };
  foldUntrusted(state, event);
  const todoList = toTodoList(state.todoList, event);
  if (todoList) state.todoList = todoList;
  if (wasRun && !isInherited(state)) state.spent.toolCalls++;
  for (const change of event.changes) {
    state.turnEffects?.paths.add(change.path);
    // The changes of an interrupted call are all changes since its start, also those by others.
    if (event.outcome !== 'unknown') state.turnEffects?.edited.set(change.path, change.after);
    if (change.kind === 'deleted') state.deleted.add(change.path);
    else state.deleted.delete(change.path);
  }
  foldShown(state, event, call);
  const { run } = state;
  if (run) {
    if (wasRun) run.toolCalls++;
    run.calls.push(toFinishedCall(event, { call, workspace: state.session?.workspace ?? '' }));
    if (event.evidence?.environment) foldEnvironment(state, event.evidence.environment);
    if (event.evidence) run.evidence.push({ call: event.call, ...event.evidence });
    // A call that was cut off is no invalid input, and no valid one either.
    if (!call.cut) run.invalidInputs = isInvalidInput(event) ? run.invalidInputs + 1 : 0;
  }
  delete call.started;
  delete call.awaits;
  if (state.calls.every(({ finished }) => finished)) foldResults(state, event.turn);
}

/** What the model knows of files: what results showed, and what its own edits made of that. */
function foldShown({ shown }: State, event: EventOf<'tool.finished'>, { started }: CallState): void {
  if (event.outcome !== 'ok') return;
  // A command can write what no call contains.
  for (const { path, before, after } of started?.resume === 'probe' ? event.changes : []) {
    const known = shown.get(path);
    if (after === null) shown.delete(path);
    else if (before === null) shown.set(path, { hash: after });
    else if (known?.hash === before) shown.set(path, { hash: after, ...(known.part ? { part: true } : {}) });
  }
  for (const { path, ...file } of event.shown ?? []) shown.set(path, { ...file, seq: event.seq });
}

/** Adds the results of all calls of an answer to the history, and the messages that were held back until then. */
function foldResults(state: State, turn: number): void {
  const [first] = state.calls;
  if (first?.by === 'user') {
    state.calls = [];
    return pushMessage(state, toUserCommandResult(first));
  }
  const results = state.calls.map((call): Part => ({
    type: 'result',
    call: call.id,
    text: call.finished!.output,
    isError: call.finished!.outcome !== 'ok',
  }));
  const images = state.calls.flatMap(({ finished }) => finished?.images ?? []);
  state.calls = [];
  pushMessage(state, { id: `results-${turn}`, role: 'user', origin: 'tools', parts: [...results, ...images] });
  for (const message of state.held.splice(0)) pushMessage(state, message);
}

function isInvalidInput(event: EventOf<'tool.finished'>): boolean {
  return (event.detail as { code?: string } | undefined)?.code === 'tool.input';
}
