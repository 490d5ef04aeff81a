import type { Event, EventOf } from '@klaus/core/protocol';
import type { Database } from './database.ts';
import { toIso } from './iso-time.ts';
import { toHash } from './record.ts';

/** Characters of a project's hash: short enough to be part of a Unix socket's path. */
const PROJECT_HASH_LENGTH = 24;

/** Keeps `sessions` and `projects`. */
export function projectSession(database: Database, event: Event): void {
  const at = toIso(event.at);
  if (event.seq === 1) {
    const sql = `INSERT INTO sessions (id, workspace_dir, created_at, updated_at) VALUES (?, '', ?, ?)`;
    database.run(sql, event.session, at, at);
  }
  switch (event.type) {
    case 'session.opened':
      open(database, event, at);
      break;
    case 'session.changed':
      change(database, event);
      break;
    case 'session.closed':
      setStatus(database, event.session, 'closed');
      break;
    case 'run.started':
      setStatus(database, event.session, 'running');
      database.run('UPDATE sessions SET outcome = NULL, outcome_reason = NULL WHERE id = ?', event.session);
      break;
    case 'run.finished':
      setStatus(database, event.session, 'idle');
      database.run(
        'UPDATE sessions SET outcome = ?, outcome_reason = ? WHERE id = ?',
        event.outcome,
        event.reason,
        event.session,
      );
      break;
    case 'approval.asked':
      setStatus(database, event.session, 'waiting');
      break;
    case 'approval.answered':
      // The row itself is updated after this: of the open ones, one is the question just settled.
      database.run(
        `UPDATE sessions SET status = 'running' WHERE id = ?1 AND status = 'waiting' AND NOT EXISTS
          (SELECT 1 FROM approvals WHERE session_id = ?1 AND answer IS NULL AND id <> ?2)`,
        event.session,
        event.approval,
      );
      break;
    case 'turn.started':
      database.run('UPDATE sessions SET turns = ? WHERE id = ?', event.turn, event.session);
      break;
    case 'tool.finished':
      database.run('UPDATE sessions SET tool_calls = tool_calls + 1 WHERE id = ?', event.session);
      break;
    default:
  }
  database.run('UPDATE sessions SET updated_at = ?, last_seq = ? WHERE id = ?', at, event.seq, event.session);
}

function open(database: Database, event: EventOf<'session.opened'>, at: string): void {
  const project = toHash(event.workspace).slice(0, PROJECT_HASH_LENGTH);
  database.run(
    'INSERT OR IGNORE INTO projects (hash, root, created_at) VALUES (?, ?, ?)',
    project,
    event.workspace,
    at,
  );
  database.run(
    'UPDATE sessions SET workspace_dir = ?, project_hash = ?, parent_id = ?, model = ?, mode = ?, sandbox = ? WHERE id = ?',
    event.workspace,
    project,
    event.parent?.session ?? null,
    event.model,
    event.mode,
    event.sandbox,
    event.session,
  );
}

function change(database: Database, event: EventOf<'session.changed'>): void {
  database.run(
    `UPDATE sessions SET title = coalesce(?, title), summary = coalesce(?, summary), model = coalesce(?, model),
      mode = coalesce(?, mode), pinned = coalesce(?, pinned) WHERE id = ?`,
    event.title ?? null,
    event.summary ?? null,
    event.model ?? null,
    event.mode ?? null,
    event.pinned === undefined ? null : Number(event.pinned),
    event.session,
  );
}

function setStatus(database: Database, session: string, status: 'idle' | 'running' | 'waiting' | 'closed'): void {
  database.run(`UPDATE sessions SET status = ? WHERE id = ? AND status <> 'closed'`, status, session);
}
