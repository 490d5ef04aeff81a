import type { Event } from '@klaus/core/protocol';
import type { Database } from '../database.ts';
import { inheritedOf } from '../log/inherited.ts';
import { toIso } from '../../shared/iso-time.ts';
import { dependsOnFork, toProject, toSessionChange, type ChangeKind } from '../../shared/session-change.ts';

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
  const change = toSessionChange(event, dependsOnFork(event) ? inheritedOf(database, event.session) : 0);
  if (!change) return;
  const [kind, ...values] = change;
  database.run(toUpdate(kind), ...values, at, event.session);
}

const updates = new Map<ChangeKind, string>();

/** Caches the statement of each kind of change, because the lookup of a new string is slow. */
function toUpdate(kind: ChangeKind): string {
  let sql = updates.get(kind);
  if (sql === undefined) {
    const assignments = Object.entries(kind).map(([column, value]) => `${column} = ${value.replaceAll('@', '')}, `);
    sql = `UPDATE sessions SET ${assignments.join('')}updated_at = ? WHERE id = ?`;
    updates.set(kind, sql);
  }
  return sql;
}
