import type { SessionFilter, SessionRow } from '@klaus/core/agent';
import {
  CAN_BE_LATEST,
  pickByPrefix,
  SESSION_COLUMNS,
  type StoredSession,
  toContains,
  toSessionRow,
} from '../../shared/session-columns.ts';
import type { Database } from '../database.ts';

const SORTS = {
  updated: 'updated_at',
  created: 'created_at',
  cost: 'coalesce(cost_usd, 0)',
  title: "coalesce(title, '') COLLATE NOCASE",
} as const;

/** Sessions, by default the one with the newest event first. */
export function listSessions(database: Database, filter: SessionFilter = {}): SessionRow[] {
  const pattern = filter.search === undefined ? null : toContains(filter.search);
  const { sort = 'updated', order = 'desc' } = filter;
  const key = SORTS[sort];
  const sql = `SELECT ${SESSION_COLUMNS} FROM sessions
    WHERE (?1 IS NULL OR (${key}, id) ${order === 'desc' ? '<' : '>'} (SELECT ${key}, id FROM sessions WHERE id = ?1))
      AND (?4 IS NULL OR workspace_dir = ?4)
      AND (?5 IS NULL OR archived = ?5)
      AND (?6 IS NULL OR model = ?6)
      AND (?7 IS NULL OR updated_at >= ?7)
      AND (?8 IS NULL OR updated_at < ?8)
      AND (?9 IS NULL OR updated_at >= ?9 OR status IN ('running', 'waiting'))
      AND (?2 IS NULL OR id LIKE ?2 ESCAPE '\\' OR title LIKE ?2 ESCAPE '\\' OR summary LIKE ?2 ESCAPE '\\'
        OR workspace_dir LIKE ?2 ESCAPE '\\'
        OR EXISTS (SELECT 1 FROM messages WHERE session_id = sessions.id AND content LIKE ?2 ESCAPE '\\'))
    ORDER BY ${key} ${order}, id ${order} LIMIT ?3`;
  const {
    before = null,
    limit = 50,
    workspace = null,
    model = null,
    since = null,
    until = null,
    activeSince = null,
  } = filter;
  const archived = filter.archived === undefined ? null : Number(filter.archived);
  return database
    .all<StoredSession>(sql, before, pattern, limit, workspace, archived, model, since, until, activeSince)
    .map(toSessionRow);
}

/**
 * The session with this id, or the only one whose id has this prefix, ignoring case.
 *
 * @throws KlausError `usage` when several ids have this prefix.
 */
export function findSession(database: Database, idOrPrefix: string): SessionRow | undefined {
  const sql = `SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = ?1 OR substr(id, 1, length(?1)) = ?1 COLLATE NOCASE
    ORDER BY id <> ?1, id LIMIT 3`;
  if (idOrPrefix === '') return undefined;
  const rows = database.all<StoredSession>(sql, idOrPrefix).map(toSessionRow);
  return pickByPrefix('sessions', idOrPrefix, rows);
}

/** The newest session of a workspace that the user opened and that is not closed. */
export function findLatestSession(database: Database, workspace: string): SessionRow | undefined {
  const sql = `SELECT ${SESSION_COLUMNS} FROM sessions
    WHERE workspace_dir = ? AND ${CAN_BE_LATEST}
    ORDER BY updated_at DESC, id DESC LIMIT 1`;
  const row = database.get<StoredSession>(sql, workspace);
  return row && toSessionRow(row);
}

/** The latest use of each agent by its name, in ISO 8601. */
export function readAgentUses(database: Database): Map<string, string> {
  const sql = 'SELECT agent_type AS agent, max(updated_at) AS at FROM sessions GROUP BY agent_type';
  return new Map(database.all<{ agent: string; at: string }>(sql).map(({ agent, at }) => [agent, at]));
}
