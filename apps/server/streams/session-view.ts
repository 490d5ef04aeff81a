import type { Command, Klaus, SessionRow } from '@klaus/sdk';
import { modeSchema, sandboxNameSchema } from '@klaus/sdk';
import type { QueuedMessage, SessionState, SessionView, SessionStatus } from '../contract/index.ts';
import { toProblem, toSentence } from '../http/problem.ts';
import type { RunQueue } from '../runs/run-queue.ts';

export interface ViewSources {
  klaus: Klaus;
  queue: RunQueue;
}

/** Sessions as the contract shows them. */
export function toSessionViews({ klaus, queue }: ViewSources, rows: readonly SessionRow[]): SessionView[] {
  const questions = new Map<string, Asked>();
  const approvals =
    rows.length === 1
      ? klaus.store.view.approvals({ open: true, session: rows[0]!.id })
      : klaus.store.view.approvals({ open: true });
  for (const { session, createdAt } of approvals) {
    const { count, since } = questions.get(session) ?? { count: 0, since: createdAt };
    questions.set(session, { count: count + 1, since: since !== null && since < createdAt ? since : createdAt });
  }
  return rows.map((row) => toView({ klaus, queue }, row, questions.get(row.id) ?? { count: 0, since: null }));
}

/** The open questions of a session. */
interface Asked {
  count: number;
  /** ISO 8601, of the oldest. */
  since: string | null;
}

function toView({ klaus, queue }: ViewSources, row: SessionRow, asked: Asked): SessionView {
  const position = queue.positionOf(row.id);
  const problem = queue.problemOf(row.id);
  const held = queue.isRunning(row.id) || klaus.store.view.isClaimed(row.id);
  return {
    id: row.id,
    state: toState(row, { questions: asked.count, position, held }),
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
    questions: asked.count,
    askedAt: asked.since,
    outcome: row.outcome,
    outcomeReason: row.outcomeReason,
    problem: problem === undefined ? null : toSentence(toProblem(problem)),
    held,
    position: position ?? null,
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

/** Where a session stands at this moment; undefined for one that is not there. */
export function toStatus(sources: ViewSources, session: string): SessionStatus | undefined {
  const row = sources.klaus.store.view.session(session);
  if (!row) return undefined;
  // Before the rest: what is appended meanwhile changes it once more.
  const { lastSeq } = row;
  const { state, held, questions, position } = toSessionViews(sources, [row])[0]!;
  const error = sources.queue.problemOf(session);
  return { state, held, questions, position, problem: error === undefined ? null : toProblem(error), lastSeq };
}

interface Facts {
  questions: number;
  position: number | undefined;
  held: boolean;
}

function toState(row: SessionRow, { questions, position, held }: Facts): SessionState {
  if (questions > 0) return 'needs-you';
  if (position !== undefined) return 'queued';
  if (held) return 'running';
  if (row.status === 'running') return 'interrupted';
  if (row.outcome === null) return 'idle';
  return row.outcome === 'done' ? 'done' : 'failed';
}

/** The messages that wait in an inbox, without those that were taken back. */
export function toQueue(commands: readonly Command[]): QueuedMessage[] {
  const withdrawn = new Set(commands.flatMap((command) => (command.type === 'withdraw' ? [command.command] : [])));
  return commands.flatMap((command) =>
    command.type === 'prompt' && !withdrawn.has(command.id)
      ? [{ command: command.id, delivery: command.delivery, parts: command.parts }]
      : [],
  );
}
