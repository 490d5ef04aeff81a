import { optional } from '@klaus/core/optional';
import { addUsage, isCharged, NO_LIMITS, toCalled, toTodoList } from '@klaus/core/protocol';
import type { Event, EventOf, Message } from '@klaus/core/protocol';
import type { Conversation } from './conversation.ts';
import { foldChildOpening, foldChildResult, foldChildUse, foldWait, type ChangeCall } from './fold-child.ts';
import { isFact, type CallEntry } from './entry.ts';

/** Folds one event. An event that was folded before changes nothing, so that the events of a reconnect may overlap. */
export function foldConversation(view: Conversation, event: Event): void {
  if (event.seq <= view.seq) return;
  view.seq = event.seq;
  foldEvent(view, event);
  if (isFact(event)) {
    const { seq, at } = event;
    view.entries.push({ kind: 'fact', id: `e${seq}`, seq, at, event });
  }
}

function foldEvent(view: Conversation, event: Event): void {
  switch (event.type) {
    case 'session.opened':
      return foldOpening(view, event);
    case 'session.changed':
      return foldChange(view, event);
    case 'run.started':
      view.run = { id: event.run, startedAt: event.at, trigger: event.trigger };
      return;
    case 'run.finished':
      delete view.run;
      delete view.requested;
      delete view.retryAt;
      view.lastOutcome = event.outcome;
      if (event.outcome === 'cancelled' || event.outcome === 'model_failed') markCut(view);
      return;
    case 'turn.started':
      return foldTurn(view, event);
    case 'model.requested':
      view.requested = { purpose: event.purpose, model: event.model, at: event.at };
      delete view.retryAt;
      return;
    case 'model.attempted':
      return foldAttempt(view, event);
    case 'message.added':
      return foldMessage(view, event);
    case 'gate.decided':
      return change(view, event.call, (call) => ({ decisions: [...call.decisions, event] }));
    case 'tool.started':
      return change(view, event.call, () => ({
        state: 'running',
        startedAt: event.at,
        ...optional({ diff: event.diff }),
      }));
    case 'tool.finished':
      return foldResult(view, event);
    case 'approval.asked':
      return foldQuestion(view, event);
    case 'approval.answered':
      return foldAnswer(view, event);
    case 'approval.changed':
      return foldScope(view, event);
    case 'workspace.snapshotted':
      return foldSnapshot(view, event);
    case 'workspace.restored':
      if (event.kind === 'undo') for (const turn of event.turns) view.undone.add(turn);
      if (event.kind === 'redo') for (const turn of event.turns) view.undone.delete(turn);
      if (event.kind !== 'review') view.redoable = Math.max(0, view.redoable + (event.kind === 'redo' ? -1 : 1));
      return;
    case 'session.closed':
      view.isClosed = true;
      view.held = { tokens: 0, usd: 0 };
      return;
    case 'child.opened':
      return foldChildOpening(view, event, changeOf(view));
    case 'child.finished':
    case 'child.closed':
      return foldChildUse(view, event, changeOf(view));
    case 'tool.waiting':
      return foldWait(view, event, changeOf(view));
    case 'grant.changed':
    case 'grant.escalated':
    case 'turn.finished':
    case 'workspace.committed':
    case 'workingCopy.ended':
    case 'evidence.verified':
    case 'compaction.requested':
    case 'context.compacted':
    case 'context.pinned':
    case 'context.unpinned':
    case 'content.refused':
    case 'process.changed':
    case 'runner.opened':
    case 'usage.counted':
    case 'notice':
      return;
    default:
      // A new type of event is a compile error here; one of a later server version is ignored.
      event satisfies never;
  }
}

/** The last message of a run that was cancelled or failed may be incomplete. */
function markCut({ entries }: Conversation): void {
  const at = entries.findLastIndex(({ kind }) => kind !== 'fact');
  const entry = entries[at];
  if (entry?.kind === 'model') entries[at] = { ...entry, isCut: true };
}

function foldOpening(view: Conversation, event: EventOf<'session.opened'>): void {
  const { workspace, model, mode, limits } = event;
  Object.assign(view, { workspace, model, mode, limits: { ...NO_LIMITS, ...limits }, effort: event.effort });
  if (event.forked) view.forked = { session: event.forked.session, seq: event.forked.seq };
  else if (event.parent) view.parent = event.parent.session;
}

function foldChange(view: Conversation, event: EventOf<'session.changed'>): void {
  if (event.title !== undefined) view.title = event.title;
  if (event.model !== undefined) view.model = event.model;
  if (event.model !== undefined || event.fallback !== undefined) delete view.substitute;
  if (event.mode !== undefined) view.mode = event.mode;
  if (event.effort !== undefined) view.effort = event.effort;
  if (event.limits) view.limits = { ...NO_LIMITS, ...event.limits };
}

function foldTurn(view: Conversation, event: EventOf<'turn.started'>): void {
  view.requested = { purpose: 'turn', model: event.model, at: event.at };
  delete view.retryAt;
  if (event.modelInfo) view.contextWindow = event.modelInfo.contextWindow;
  if (!isInherited(view)) view.turns += 1;
}

/** True for events that a fork copied from the original, which paid for them. */
function isInherited({ forked, seq }: Conversation): boolean {
  return forked !== undefined && seq <= forked.seq;
}

function foldAttempt(view: Conversation, event: EventOf<'model.attempted'>): void {
  if (view.requested && event.outcome !== 'abandoned' && !isInherited(view))
    view.minutes += (event.at - view.requested.at) / 60_000;
  delete view.requested;
  if (event.fallback) view.substitute = event.fallback.model;
  else if (event.purpose === 'turn' && event.outcome === 'ok' && event.model !== view.substitute)
    delete view.substitute;
  if (event.retryInMs === undefined) delete view.retryAt;
  else view.retryAt = event.at + event.retryInMs;
  if (event.outcome === 'ok' && event.purpose === 'turn') {
    const { input, cacheRead, cacheWrite, output } = event.usage;
    view.contextTokens = input + cacheRead + cacheWrite + output;
  }
  if (!isCharged(event) || isInherited(view)) return;
  view.usage = addUsage(view.usage, event.usage);
  view.usd = addUsd(view.usd, event.usd);
  if (!event.held) return;
  view.held = { tokens: view.held.tokens + event.held.tokens, usd: addUsd(view.held.usd, event.held.usd) };
}

function addUsd(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

function foldMessage(view: Conversation, { message, seq, at, turn }: EventOf<'message.added'>): void {
  if (message.origin === 'model' || message.origin === 'shell') {
    const text = join(message, 'text');
    const thinking = join(message, 'thinking');
    if (text.trim() !== '' || thinking.trim() !== '') {
      view.entries.push({ kind: 'model', id: message.id, seq, at, turn, text, thinking });
    }
    for (const part of message.parts) {
      if (part.type !== 'call') continue;
      view.calls.set(part.id, view.entries.length);
      const base = { kind: 'call', id: part.id, seq, at, turn, state: 'waiting', decisions: [] } as const;
      const by = message.origin === 'shell' ? { by: 'user' as const } : {};
      view.entries.push({ ...base, ...by, ...toCalled(part) });
    }
    return;
  }
  if (message.origin !== 'user' && message.origin !== 'steer') return;
  view.entries.push({
    kind: 'user',
    id: message.id,
    seq,
    at,
    turn,
    text: join(message, 'text'),
    steered: message.origin === 'steer',
    files: message.parts.filter((part) => part.type === 'file'),
    images: message.parts.filter((part) => part.type === 'image'),
  });
}

function join(message: Message, type: 'text' | 'thinking'): string {
  return message.parts.flatMap((part) => (part.type === type ? [part.text] : [])).join('\n');
}

function foldResult(view: Conversation, event: EventOf<'tool.finished'>): void {
  const { outcome, output, images, blob, detail, changes, evidence, todos, durationMs } = event;
  const result = { outcome, output, changes, durationMs, images, blob, detail, evidence, todos };
  let isRun = outcome !== 'cancelled';
  change(view, event.call, (entry) => {
    isRun ||= entry.startedAt !== undefined;
    return { state: 'finished', result, resultSeq: event.seq };
  });
  const todoList = toTodoList(view.todoList, event);
  if (todoList) view.todoList = todoList;
  foldChildResult(view, event, changeOf(view));
  // A call that was cancelled before it began does not count, as in the engine.
  if (isRun && !isInherited(view)) view.toolCalls += 1;
  for (const { path, kind } of changes) {
    // A file that this session created counts as new until it is deleted.
    const isOwn = view.changed.get(path) === 'created';
    if (isOwn && kind === 'deleted') view.changed.delete(path);
    else if (!isOwn || kind !== 'modified') view.changed.set(path, kind);
  }
}

function foldQuestion(view: Conversation, event: EventOf<'approval.asked'>): void {
  view.approvals.set(event.approval, event);
  if (event.subject.kind === 'limit') {
    const { approval, seq, at } = event;
    view.entries.push({ kind: 'limit', id: approval, seq, at, asked: event });
    return;
  }
  replace(view, event.subject.call, ({ answer: _, ...call }) => ({ ...call, state: 'asked', asked: event }));
}

function foldAnswer(view: Conversation, event: EventOf<'approval.answered'>): void {
  const asked = view.approvals.get(event.approval);
  view.approvals.delete(event.approval);
  if (!asked) return;
  if (asked.subject.kind !== 'limit') {
    const state = asked.subject.kind === 'input' ? 'running' : 'waiting';
    change(view, asked.subject.call, () => ({ state, answer: event }));
    return;
  }
  const at = view.entries.findLastIndex((entry) => entry.kind === 'limit' && entry.id === event.approval);
  const entry = view.entries[at];
  if (entry?.kind === 'limit') view.entries[at] = { ...entry, answer: event };
}

function foldScope(view: Conversation, { approval, scope }: EventOf<'approval.changed'>): void {
  const entry = view.entries.find((it) => it.kind === 'call' && it.answer?.approval === approval);
  if (entry) change(view, entry.id, ({ answer }) => (answer ? { answer: { ...answer, scope } } : {}));
}

function foldSnapshot(view: Conversation, event: EventOf<'workspace.snapshotted'>): void {
  if (event.moment === 'before') {
    view.treeBefore = event.tree;
    return;
  }
  if (view.treeBefore !== undefined && view.treeBefore !== event.tree) view.changing.add(event.turn);
  delete view.treeBefore;
}

const changeOf =
  (view: Conversation): ChangeCall =>
  (call, to) =>
    change(view, call, to);

function change(view: Conversation, id: string, to: (call: CallEntry) => Partial<CallEntry>): void {
  replace(view, id, (call) => ({ ...call, ...to(call) }));
}

function replace(view: Conversation, id: string, to: (call: CallEntry) => CallEntry): void {
  const at = view.calls.get(id);
  const call = at === undefined ? undefined : view.entries[at];
  if (at !== undefined && call?.kind === 'call') view.entries[at] = to(call);
}
