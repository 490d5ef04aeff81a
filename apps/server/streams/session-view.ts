import { optional } from '@klaus/sdk/optional';
import { modeSchema, sandboxNameSchema, type ApprovalRow, type Command, type Klaus, type SessionRow } from '@klaus/sdk';
import type { QueuedMessage, SessionState, SessionView, SessionStatus } from '../contract/index.ts';
import { toProblem, toSentence } from '../http/problem.ts';
import type { RunQueue } from '../runs/run-queue.ts';

export interface ViewSources {
  klaus: Klaus;
  queue: RunQueue;
}

export function toSessionViews({ klaus, queue }: ViewSources, rows: readonly SessionRow[]): SessionView[] {
  const session = rows.length === 1 ? rows[0]!.id : undefined;
  const approvals = klaus.store.view.approvals({ open: true, ...optional({ session }) });
  const bySession = Map.groupBy(approvals, (approval) => approval.session);
  return rows.map((row) => toView(queue, row, bySession.get(row.id) ?? []));
}

function toView(queue: RunQueue, row: SessionRow, approvals: readonly ApprovalRow[]): SessionView {
  const questions = approvals.length;
  const position = queue.positionOf(row.id) ?? null;
  const problem = queue.problemOf(row.id);
  const held = queue.isHeld(row.id);
  return {
    id: row.id,
    state: toState(row, { questions, position, held }),
    title: row.title,
    summary: row.summary,
    firstPrompt: row.firstPrompt,
    workspace: row.workspace,
    agent: row.agentType,
    model: row.model,
    mode: modeSchema.safeParse(row.mode).data ?? null,
    sandbox: sandboxNameSchema.safeParse(row.sandbox).data ?? null,
    pinned: row.pinned,
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

/** The queued messages of an inbox, without withdrawn ones. */
export function toQueue(commands: readonly Command[]): QueuedMessage[] {
  const withdrawn = new Set(commands.flatMap((command) => (command.type === 'withdraw' ? [command.command] : [])));
  return commands.flatMap((command) =>
    command.type === 'prompt' && !withdrawn.has(command.id)
      ? [{ command: command.id, delivery: command.delivery, parts: command.parts }]
      : [],
  );
}
