import {
  modeSchema,
  sandboxNameSchema,
  toBeginning,
  toQueuedMessages,
  type ApprovalRow,
  type Klaus,
  type SessionRow,
} from '@klaus/sdk';
import type { SessionState, SessionView, SessionStatus } from '../contract/index.ts';
import { toProblem, toSentence } from '../http/problem.ts';
import type { SessionQueue } from '../runs/session-queue.ts';
import { toAncestors, toRoot } from '../runs/session-tree.ts';

export interface ViewSources {
  klaus: Klaus;
  queue: SessionQueue;
}

export function toSessionViews(sources: ViewSources, rows: readonly SessionRow[]): SessionView[] {
  const { view } = sources.klaus.store;
  const wanted = new Set(rows.map(({ id }) => id));
  const bySession = new Map<string, ApprovalRow[]>();
  // A session also waits for the answers that the sessions below it need.
  for (const approval of view.approvals({ open: true })) {
    for (const id of [approval.session, ...toAncestors(view, approval.session)]) {
      if (wanted.has(id)) bySession.set(id, [...(bySession.get(id) ?? []), approval]);
    }
  }
  return rows.map((row) => toView(sources, row, bySession.get(row.id) ?? []));
}

/** The start of the first prompt, or of the first message that waits for the first run; null without one. */
export function toFirstPrompt({ klaus }: Pick<ViewSources, 'klaus'>, row: SessionRow): string | null {
  if (row.firstPrompt !== null) return row.firstPrompt;
  const [first] = toQueuedMessages(klaus.store.view.inbox(row.id));
  return (first && toBeginning(first)) || null;
}

/** True while a process works on a session below this one, which waits for it. */
function isBusyBelow({ klaus, queue }: ViewSources, { id, status }: SessionRow): boolean {
  const { view } = klaus.store;
  if (status !== 'running') return false;
  const root = toRoot(view, id);
  return (root !== id && queue.isRunning(root)) || view.openChildren(id).some((child) => isBusy(child));

  function isBusy(session: string): boolean {
    return queue.isHeld(session) || view.openChildren(session).some(isBusy);
  }
}

function toView(sources: ViewSources, row: SessionRow, approvals: readonly ApprovalRow[]): SessionView {
  const { queue } = sources;
  const questions = approvals.length;
  const position = queue.positionOf(row.id) ?? null;
  const problem = queue.problemOf(row.id);
  const held = queue.isHeld(row.id);
  const isWorking = held || (questions === 0 && position === null && isBusyBelow(sources, row));
  return {
    id: row.id,
    state: toState(row, { questions, position, held: isWorking }),
    title: row.title,
    summary: row.summary,
    firstPrompt: toFirstPrompt(sources, row),
    workspace: row.workspace,
    project: sources.klaus.copies.repositoryOf(row.workspace) ?? row.workspace,
    agent: row.agentType,
    model: row.model,
    mode: modeSchema.safeParse(row.mode).data ?? null,
    sandbox: sandboxNameSchema.safeParse(row.sandbox).data ?? null,
    pinned: row.pinned,
    archived: row.archived,
    parent: row.parent,
    forkedFrom: row.forkedFrom,
    questions,
    askedAt: approvals.map(({ createdAt }) => createdAt).toSorted()[0] ?? null,
    outcome: row.outcome,
    outcomeReason: row.outcomeReason,
    problem: problem === undefined ? null : toSentence(toProblem(problem)),
    held,
    position,
    turns: row.turns,
    toolCalls: row.toolCalls,
    tokens: {
      input: row.inputTokens,
      output: row.outputTokens,
      cacheRead: row.cacheReadTokens,
      cacheWrite: row.cacheWriteTokens,
    },
    usd: row.costUsd,
    lastSeq: row.lastSeq,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** The current status of a session; undefined if it does not exist. */
export function toStatus(sources: ViewSources, session: string): SessionStatus | undefined {
  const row = sources.klaus.store.view.session(session);
  if (!row) return undefined;
  // Read first: an event that is appended in the meantime causes another status.
  const { lastSeq } = row;
  const { state, held, questions, position } = toSessionViews(sources, [row])[0]!;
  const error = sources.queue.problemOf(session);
  return { state, held, questions, position, problem: error === undefined ? null : toProblem(error), lastSeq };
}

type Facts = Pick<SessionView, 'questions' | 'position' | 'held'>;

function toState(row: SessionRow, { questions, position, held }: Facts): SessionState {
  if (questions > 0) return 'needs-you';
  if (position !== null) return 'queued';
  if (held) return 'running';
  if (row.status === 'running') return 'interrupted';
  if (row.outcome === null) return 'idle';
  return row.outcome === 'done' ? 'done' : 'failed';
}
