import type { ApprovalFilter, ApprovalRow } from '@klaus/core/agent';
import { SELECT_APPROVALS } from '../../shared/approval-columns.ts';
import { pickByPrefix } from '../../shared/session-columns.ts';
import type { Sql } from '../database.ts';
import { Conditions } from './conditions.ts';
import { toAsciiLower, toPrefixRange } from './prefix-range.ts';

/** Questions of all sessions, the oldest first. */
export function listApprovals(sql: Sql, filter: ApprovalFilter = {}): Promise<ApprovalRow[]> {
  const where = new Conditions();
  if (filter.open) where.add(() => 'answer IS NULL');
  if (filter.session !== undefined) where.add((place) => `session_id = ${place(filter.session)}`);
  const text = `${SELECT_APPROVALS} ${where.text()} ORDER BY approvals.created_at, approvals.id, session_id`;
  return sql.all<ApprovalRow>(text, where.values);
}

/**
 * The question with this id, or the only one whose id has this prefix, ignoring case.
 *
 * @throws KlausError `usage` when several ids have this prefix.
 */
export async function findApproval(sql: Sql, idOrPrefix: string): Promise<ApprovalRow | undefined> {
  if (idOrPrefix === '') return undefined;
  const text = `${SELECT_APPROVALS} WHERE lower(approvals.id) >= $2 AND lower(approvals.id) < $3
    ORDER BY approvals.id <> $1, approvals.id LIMIT 3`;
  const rows = await sql.all<ApprovalRow>(text, [idOrPrefix, ...toPrefixRange(toAsciiLower(idOrPrefix))]);
  return pickByPrefix('approvals', idOrPrefix, rows);
}
