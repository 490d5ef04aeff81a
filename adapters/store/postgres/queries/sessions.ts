import type { SessionFilter, SessionRow } from '@klaus/core/agent';
import { toNearest } from '@klaus/core/protocol';
import {
  CAN_BE_LATEST,
  pickByPrefix,
  SESSION_COLUMNS,
  type StoredSession,
  toContains,
  toSessionRow,
} from '../../shared/session-columns.ts';
import type { Sql } from '../database.ts';
import { Conditions } from './conditions.ts';
import { toAsciiLower, toPrefixRange } from './prefix-range.ts';

/** Newest sessions that are compared with a misspelt one. */
const NEAREST_AMONG = 1_000;

/** The columns have the collation "C", in which `lower` changes the letters A to Z alone, as SQLite does. */
const SORTS = {
  updated: 'updated_at',
  created: 'created_at',
  cost: 'coalesce(cost_usd, 0)',
  title: "lower(coalesce(title, ''))",
} as const;

/** Sessions, by default the one with the newest event first. */
export async function listSessions(sql: Sql, filter: SessionFilter = {}): Promise<SessionRow[]> {
  const { sort = 'updated', order = 'desc', limit = 50, search } = filter;
  const key = SORTS[sort];
  const where = new Conditions();
  if (filter.before !== undefined) {
    const text = `SELECT ${key} AS key FROM dated_sessions WHERE id = $1`;
    const last = await sql.get<{ key: string | number }>(text, [filter.before]);
    if (!last) return [];
    if (sort === 'updated')
      where.add((place) => `updated_minute ${order === 'desc' ? '<=' : '>='} left(${place(last.key)}, 16)`);
    where.add((place) => `(${key}, id) ${order === 'desc' ? '<' : '>'} (${place(last.key)}, ${place(filter.before)})`);
  }
  if (filter.workspace !== undefined) where.add((place) => `workspace_dir = ${place(filter.workspace)}`);
  if (filter.archived !== undefined) where.add((place) => `archived = ${place(Number(filter.archived))}`);
  if (filter.model !== undefined) where.add((place) => `model = ${place(filter.model)}`);
  if (filter.since !== undefined) where.add((place) => `updated_at >= ${place(filter.since)}`);
  if (filter.until !== undefined) where.add((place) => `updated_at < ${place(filter.until)}`);
  if (filter.activeSince !== undefined)
    where.add((place) => `(updated_at >= ${place(filter.activeSince)} OR status IN ('running', 'waiting'))`);
  if (search !== undefined) {
    where.add((place) => {
      const pattern = place(toAsciiLower(toContains(search)));
      const columns = ['id', 'title', 'summary', 'workspace_dir'].map((column) => `lower(${column}) LIKE ${pattern}`);
      return `(${columns.join(' OR ')}
        OR EXISTS (SELECT 1 FROM messages WHERE session_id = sessions.id AND lower(content) LIKE ${pattern}))`;
    });
  }
  // The minute of the last event, which has an index, comes first.
  const keys = [...(sort === 'updated' ? ['updated_minute'] : []), key, 'id'].map((column) => `${column} ${order}`);
  const text = `SELECT ${SESSION_COLUMNS} FROM dated_sessions AS sessions ${where.text()} ORDER BY ${keys.join(', ')}`;
  // A negative limit is none, as in SQLite.
  const rows = await sql.all<StoredSession>(`${text} LIMIT ${where.place(limit < 0 ? null : limit)}`, where.values);
  return rows.map(toSessionRow);
}

/**
 * The session with this id, or the only one whose id has this prefix, ignoring case.
 *
 * @throws KlausError `usage` when several ids have this prefix.
 */
export async function findSession(sql: Sql, idOrPrefix: string): Promise<SessionRow | undefined> {
  if (idOrPrefix === '') return undefined;
  const text = `SELECT ${SESSION_COLUMNS} FROM dated_sessions AS sessions WHERE id = $1 OR (lower(id) >= $2 AND lower(id) < $3)
    ORDER BY id <> $1, id LIMIT 3`;
  const rows = await sql.all<StoredSession>(text, [idOrPrefix, ...toPrefixRange(toAsciiLower(idOrPrefix))]);
  return pickByPrefix('sessions', idOrPrefix, rows.map(toSessionRow));
}

/** Id of the session whose id or title is nearest to the text. */
export async function findNearestSession(sql: Sql, text: string): Promise<string | undefined> {
  if (text === '') return undefined;
  return toNearestSession(text, await listSessions(sql, { limit: NEAREST_AMONG }));
}

function toNearestSession(text: string, rows: readonly SessionRow[]): string | undefined {
  const names = rows.flatMap(({ id, title }) => (title === null ? [id] : [id, title]));
  const nearest = toNearest(text, names, { isBeginning: true });
  return rows.find(({ id, title }) => id === nearest || title === nearest)?.id;
}

/** The newest session of a workspace that the user opened and that is not closed. */
export async function findLatestSession(sql: Sql, workspace: string): Promise<SessionRow | undefined> {
  const text = `SELECT ${SESSION_COLUMNS} FROM dated_sessions AS sessions
    WHERE workspace_dir = $1 AND ${CAN_BE_LATEST}
    ORDER BY updated_minute DESC, updated_at DESC, id DESC LIMIT 1`;
  const row = await sql.get<StoredSession>(text, [workspace]);
  return row && toSessionRow(row);
}

/** The latest use of each agent by its name, in ISO 8601. */
export async function readAgentUses(sql: Sql): Promise<Map<string, string>> {
  const text =
    'SELECT agent_type AS agent, max(updated_at) AS at FROM dated_sessions GROUP BY agent_type ORDER BY agent_type';
  return new Map((await sql.all<{ agent: string; at: string }>(text)).map(({ agent, at }) => [agent, at]));
}
