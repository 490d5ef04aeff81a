import type { ApprovalFilter, ApprovalRow } from '@klaus/core/agent';
import type { Database } from '../database.ts';
import { ambiguous } from './session-row.ts';

const SELECT = `SELECT approvals.id, session_id AS session, sessions.title AS sessionTitle,
  workspace_dir AS workspace, kind, approvals.title, reason, tool_name AS toolName, diff, command,
  limit_name AS limitName, offer, approvals.created_at AS createdAt, expires_at AS expiresAt, answer,
  answered_by AS answeredBy, note, answered_at AS answeredAt
  FROM approvals JOIN sessions ON sessions.id = session_id`;

/** Questions of all sessions, the oldest first. */
export function listApprovals(database: Database, filter: ApprovalFilter = {}): ApprovalRow[] {
  const sql = `${SELECT} WHERE (?1 = 0 OR answer IS NULL) AND (?2 IS NULL OR session_id = ?2)
    ORDER BY approvals.created_at, approvals.id`;
  return database
    .all<ApprovalRow>(sql, Number(filter.open ?? false), filter.session ?? null)
    .map((row) => ({ ...row }));
}

/**
 * The question with this id, or the only one whose id begins so, whatever the case.
 *
 * @throws KlausError `usage` when several begin so.
 */
export function findApproval(database: Database, idOrPrefix: string): ApprovalRow | undefined {
  if (idOrPrefix === '') return undefined;
  const sql = `${SELECT} WHERE substr(approvals.id, 1, length(?1)) = ?1 COLLATE NOCASE
    ORDER BY approvals.id <> ?1, approvals.id LIMIT 3`;
  const rows = database.all<ApprovalRow>(sql, idOrPrefix).map((row) => ({ ...row }));
  const exact = rows.filter((row) => row.id === idOrPrefix);
  if (exact.length === 1) return exact[0];
  if (rows.length > 1) throw ambiguous('approvals', idOrPrefix, rows);
  return rows[0];
}
