import type { RememberedRow } from '@klaus/core/agent';
import { type StoredRemembered, toRememberedRow } from '../../shared/remembered-row.ts';
import type { Sql } from '../database.ts';
import { Conditions } from './conditions.ts';
import { toPrefixRange } from './prefix-range.ts';

/** The newest last. */
export async function listRemembered(
  sql: Sql,
  filter: { workspace?: string; agent?: string } = {},
): Promise<RememberedRow[]> {
  const where = new Conditions();
  if (filter.workspace !== undefined) where.add((place) => `workspace = ${place(filter.workspace)}`);
  if (filter.agent !== undefined) where.add((place) => `agent = ${place(filter.agent)}`);
  const text = `SELECT * FROM remembered ${where.text()} ORDER BY created_at, approval`;
  return (await sql.all<StoredRemembered>(text, where.values)).map(toRememberedRow);
}

/** Deletes an approval by its id or a prefix of it, and returns it; undefined when none matches, or more than one. */
export async function deleteRemembered(
  sql: Sql,
  idOrPrefix: string,
): Promise<{ approval: string; workspace: string; agent: string } | undefined> {
  if (idOrPrefix === '') return undefined;
  const rows = await sql.all<{ approval: string; workspace: string; agent: string }>(
    'SELECT approval, workspace, agent FROM remembered WHERE approval >= $1 AND approval < $2 LIMIT 2 FOR UPDATE',
    toPrefixRange(idOrPrefix),
  );
  if (rows.length !== 1) return undefined;
  await sql.run('DELETE FROM remembered WHERE approval = $1', [rows[0]!.approval]);
  return rows[0];
}
