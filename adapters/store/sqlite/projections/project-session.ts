import type { SQLInputValue } from 'node:sqlite';
import { isCharged, type Event, type EventOf } from '@klaus/core/protocol';
import type { Database } from '../database.ts';
import { isFork, isInherited } from '../log/inherited.ts';
import { toIso } from '../iso-time.ts';
import { toHash } from '../log/record.ts';
import { toContent } from './project-conversation.ts';

/** Characters of a project's hash: short enough to be part of a Unix socket's path. */
const PROJECT_HASH_LENGTH = 24;

/** What an event changes in its session's row: assignments in SQL, with their values in order. */
type Change = readonly [assignments: string, ...values: SQLInputValue[]];

/** A closed session stays closed. */
const STATUS = `status = CASE status WHEN 'closed' THEN 'closed' ELSE ? END`;

/**
 * Updates `sessions` and `projects`, with at most one statement for most events. Events that do not concern the session
 * itself do not write its row, which saves a page per event.
 */
export function projectSession(database: Database, event: Event): void {
  const at = toIso(event.at);
  if (event.seq === 1) {
    const sql = `INSERT INTO sessions (id, workspace_dir, created_at, updated_at) VALUES (?, '', ?, ?)`;
    database.run(sql, event.session, at, at);
  }
  if (event.type === 'session.opened') {
    const sql = 'INSERT OR IGNORE INTO projects (hash, root, created_at) VALUES (?, ?, ?)';
    database.run(sql, toProject(event.workspace), event.workspace, at);
  }
  // Inherited requests were charged to the original.
  const isFree = event.type === 'model.attempted' && isInherited(database, event);
  const change = isFree ? undefined : event.type === 'run.finished' ? toEnd(database, event) : toChange(event);
  if (!change) return;
  const [assignments, ...values] = change;
  database.run(toUpdate(assignments), ...values, at, event.session);
}

const updates = new Map<string, string>();

/** Caches the statement of each kind of change, because the lookup of a new string is slow. */
function toUpdate(assignments: string): string {
  let sql = updates.get(assignments);
  if (sql === undefined) {
    sql = `UPDATE sessions SET ${assignments}updated_at = ? WHERE id = ?`;
    updates.set(assignments, sql);
  }
  return sql;
}

/** The end of a run of a child session concerns its parent, and one that a fork inherited its original. */
function toEnd(database: Database, event: EventOf<'run.finished'>): Change {
  const { session, seq, outcome, reason } = event;
  const isOwn = !isInherited(database, event);
  return [
    `${STATUS}, outcome = ?, outcome_reason = ?, ended_seq = CASE WHEN ? OR (? AND parent_id IS NULL) THEN ? END, `,
    'idle',
    outcome,
    reason,
    Number(isOwn && isFork(database, session)),
    Number(isOwn),
    seq,
  ];
}

/** Undefined for an event that does not concern the session itself. */
function toChange(event: Event): Change | undefined {
  switch (event.type) {
    case 'session.opened':
      return [
        `workspace_dir = ?, project_hash = ?, agent_type = ?, parent_id = ?, forked_from = ?, model = ?, mode = ?,
          sandbox = ?, `,
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
        `title = coalesce(?, title), summary = coalesce(?, summary), model = coalesce(?, model),
          mode = coalesce(?, mode), pinned = coalesce(?, pinned), archived = coalesce(?, archived), `,
        event.title ?? null,
        event.summary ?? null,
        event.model ?? null,
        event.mode ?? null,
        event.pinned === undefined ? null : Number(event.pinned),
        event.archived === undefined ? null : Number(event.archived),
      ];
    case 'session.closed':
      return [`${STATUS}, `, 'closed'];
    case 'run.started':
      return [`${STATUS}, outcome = NULL, outcome_reason = NULL, ended_seq = NULL, archived = 0, `, 'running'];
    case 'approval.asked':
      return [`${STATUS}, `, 'waiting'];
    case 'approval.answered':
      // The question itself is updated later, so it is excluded from the open ones.
      return [
        `status = CASE WHEN status = 'waiting' AND NOT EXISTS (SELECT 1 FROM approvals
          WHERE session_id = sessions.id AND answer IS NULL AND approvals.id <> ?) THEN 'running' ELSE status END, `,
        event.approval,
      ];
    case 'turn.started':
      return ['turns = ?, ', event.turn];
    case 'tool.finished':
      return ['tool_calls = tool_calls + 1, '];
    case 'model.attempted': {
      if (!isCharged(event)) return undefined;
      const { input, output, cacheRead, cacheWrite } = event.usage;
      // A sum with an unknown part is unknown: null plus anything is null.
      return [
        `input_tokens = input_tokens + ?, output_tokens = output_tokens + ?, cache_read_tokens = cache_read_tokens + ?,
          cache_write_tokens = cache_write_tokens + ?, cost_usd = cost_usd + ?, `,
        input + cacheRead + cacheWrite,
        output,
        cacheRead,
        cacheWrite,
        event.usd,
      ];
    }
    case 'message.added':
      if (event.message.origin === 'user')
        return ['first_prompt = coalesce(first_prompt, substr(?, 1, 200)), ', toContent(event.message)];
      return event.message.role === 'user' ? [''] : undefined;
    default:
      return undefined;
  }
}

function toProject(workspace: string): string {
  return toHash(workspace).slice(0, PROJECT_HASH_LENGTH);
}
