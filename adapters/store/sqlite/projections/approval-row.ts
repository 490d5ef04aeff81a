import type { ApprovalFilter, ApprovalRow } from '@klaus/core/agent';
import { SELECT_APPROVALS } from '../../shared/approval-columns.ts';
import { pickByPrefix } from '../../shared/session-columns.ts';
import type { Database } from '../database.ts';

/** Questions of all sessions, the oldest first. */
export function listApprovals(database: Database, filter: ApprovalFilter = {}): ApprovalRow[] {
  const sql = `${SELECT_APPROVALS} WHERE (?1 = 0 OR answer IS NULL) AND (?2 IS NULL OR session_id = ?2)
    ORDER BY approvals.created_at, approvals.id`;
  return database
    .all<ApprovalRow>(sql, Number(filter.open ?? false), filter.session ?? null)
    .map((row) => ({ ...row }));
}

/**
 * The question with this id, or the only one whose id has this prefix, ignoring case.
 *
 * @throws KlausError `usage` when several ids have this prefix.
 */
export function findApproval(database: Database, idOrPrefix: string): ApprovalRow | undefined {
  if (idOrPrefix === '') return undefined;
  const sql = `${SELECT_APPROVALS} WHERE substr(approvals.id, 1, length(?1)) = ?1 COLLATE NOCASE
    ORDER BY approvals.id <> ?1, approvals.id LIMIT 3`;
  const rows = database.all<ApprovalRow>(sql, idOrPrefix).map((row) => ({ ...row }));
  return pickByPrefix('approvals', idOrPrefix, rows);
}
