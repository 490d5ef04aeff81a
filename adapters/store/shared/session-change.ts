import { isCharged, toBeginning, type Event, type EventOf } from '@klaus/core/protocol';
import { isCopied } from './inherited.ts';
import { toHash } from '../sqlite/log/record.ts';

/** Characters of a project's hash: short enough to be part of a Unix socket's path. */
const PROJECT_HASH_LENGTH = 24;

/** New values of columns as SQL, with `@column` for the present value of a column, and `?` for the next value. */
export type ChangeKind = Readonly<Record<string, string>>;

/** What an event changes in its session's row, in addition to `updated_at`: a kind, with its values in order. */
export type SessionChange = readonly [kind: ChangeKind, ...values: (string | number | null)[]];

/** A closed session stays closed. */
const status = `CASE @status WHEN 'closed' THEN 'closed' ELSE ? END`;

const ENDED = { status, outcome: '?', outcome_reason: '?' };

const KINDS = {
  opened: {
    workspace_dir: '?',
    project_hash: '?',
    agent_type: '?',
    parent_id: '?',
    forked_from: '?',
    model: '?',
    mode: '?',
    sandbox: '?',
  },
  changed: {
    title: 'coalesce(?, @title)',
    summary: 'coalesce(?, @summary)',
    model: 'coalesce(?, @model)',
    mode: 'coalesce(?, @mode)',
    pinned: 'coalesce(?, @pinned)',
    archived: 'coalesce(?, @archived)',
  },
  status: { status },
  started: { status, outcome: 'NULL', outcome_reason: 'NULL', ended_seq: 'NULL', archived: '0' },
  // The end of a run of a child session concerns its parent, and one that a fork inherited its original.
  inheritedEnd: { ...ENDED, ended_seq: 'NULL' },
  forkEnd: { ...ENDED, ended_seq: '?' },
  end: { ...ENDED, ended_seq: 'CASE WHEN CAST(@parent_id AS text) IS NULL THEN CAST(? AS bigint) END' },
  // The question itself is updated later, so it is excluded from the open ones.
  answered: {
    status: `CASE WHEN @status = 'waiting' AND NOT EXISTS (SELECT 1 FROM approvals
      WHERE session_id = sessions.id AND answer IS NULL AND approvals.id <> ?) THEN 'running' ELSE @status END`,
  },
  turn: { turns: '?' },
  call: { tool_calls: '@tool_calls + 1' },
  // A sum with an unknown part is unknown: null plus anything is null.
  charged: {
    input_tokens: '@input_tokens + ?',
    output_tokens: '@output_tokens + ?',
    cache_read_tokens: '@cache_read_tokens + ?',
    cache_write_tokens: '@cache_write_tokens + ?',
    cost_usd: '@cost_usd + ?',
  },
  prompt: { first_prompt: 'coalesce(@first_prompt, ?)' },
  touched: {},
} as const satisfies Record<string, ChangeKind>;

/** True for an event whose change depends on the events that its session inherited. */
export function dependsOnFork({ type }: Event): boolean {
  return type === 'run.finished' || type === 'model.attempted';
}

/**
 * Undefined for an event that does not concern the session itself.
 *
 * @param inherited Seq of the last event that the session inherited, if `dependsOnFork`; else any number.
 */
export function toSessionChange(event: Event, inherited: number): SessionChange | undefined {
  switch (event.type) {
    case 'session.opened':
      return [
        KINDS.opened,
        event.workspace,
        toProject(event.workspace),
        event.agent ?? 'klaus',
        event.parent?.session ?? null,
        event.forked?.session ?? null,
        event.model,
        event.mode,
        event.sandbox,
      ];
    case 'session.changed':
      return [
        KINDS.changed,
        event.title ?? null,
        event.summary ?? null,
        event.model ?? null,
        event.mode ?? null,
        event.pinned === undefined ? null : Number(event.pinned),
        event.archived === undefined ? null : Number(event.archived),
      ];
    case 'session.closed':
      return [KINDS.status, 'closed'];
    case 'run.started':
      return [KINDS.started, 'running'];
    case 'run.finished':
      return toEnd(event, inherited);
    case 'approval.asked':
      return [KINDS.status, 'waiting'];
    case 'approval.answered':
      return [KINDS.answered, event.approval];
    case 'turn.started':
      return [KINDS.turn, event.turn];
    case 'tool.finished':
      return [KINDS.call];
    case 'model.attempted': {
      // Inherited requests were charged to the original.
      if (!isCharged(event) || isCopied(event, inherited)) return undefined;
      const { input, output, cacheRead, cacheWrite } = event.usage;
      return [KINDS.charged, input + cacheRead + cacheWrite, output, cacheRead, cacheWrite, event.usd];
    }
    case 'message.added':
      if (event.message.origin === 'user') return [KINDS.prompt, toBeginning(event.message)];
      // A note of the engine can be about an undo, which does not make an old session the latest one.
      return event.message.origin === 'context' ? [KINDS.touched] : undefined;
    default:
      return undefined;
  }
}

function toEnd(event: EventOf<'run.finished'>, inherited: number): SessionChange {
  const { seq, outcome, reason } = event;
  if (isCopied(event, inherited)) return [KINDS.inheritedEnd, 'idle', outcome, reason];
  return [inherited > 0 ? KINDS.forkEnd : KINDS.end, 'idle', outcome, reason, seq];
}

/** The hash of a workspace, given by its absolute real path. */
export function toProject(workspace: string): string {
  return toHash(workspace).slice(0, PROJECT_HASH_LENGTH);
}
