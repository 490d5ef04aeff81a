import { KlausError } from '@klaus/core/protocol';
import type { Database } from '../database.ts';

/** A session as the doors list it. Times are ISO 8601 in UTC. */
export interface SessionRow {
  id: string;
  workspace: string;
  /** First 24 characters of the SHA-256 of the workspace's path; null before session.opened. */
  project: string | null;
  title: string | null;
  summary: string | null;
  /** Beginning of the first thing the user said, at most 200 characters. */
  firstPrompt: string | null;
  pinned: boolean;
  agentType: string;
  parent: string | null;
  /** The session that this one began as a copy of. */
  forkedFrom: string | null;
  /** What the log says: `running` without a process that holds it was interrupted; see `isClaimed`. */
  status: 'idle' | 'running' | 'waiting' | 'closed';
  model: string | null;
  mode: string | null;
  sandbox: string | null;
  /** Of the last run; null while one is under way. */
  outcome: string | null;
  outcomeReason: string | null;
  turns: number;
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** US dollars; null when the price of any part is not known. */
  costUsd: number | null;
  lastSeq: number;
  createdAt: string;
  /** Of the last event that says something of the session as a whole: a prompt, a turn, an ended call or run, a title. */
  updatedAt: string;
}

export interface SessionFilter {
  /** Text in id, title, summary, workspace or any message, whatever the case. */
  search?: string;
  /** Default 50. */
  limit?: number;
  /** Id of the last session of the page before, under the same order. */
  before?: string;
  /** Absolute path. */
  workspace?: string;
  /** Default `updated`. */
  sort?: 'updated' | 'created' | 'cost' | 'title';
  /** Default `desc`. */
  order?: 'asc' | 'desc';
}

const SORTS = {
  updated: 'updated_at',
  created: 'created_at',
  cost: 'coalesce(cost_usd, 0)',
  title: "coalesce(title, '') COLLATE NOCASE",
} as const;

const COLUMNS = `id, workspace_dir AS workspace, project_hash AS project, title, summary, pinned,
  (SELECT substr(content, 1, 200) FROM messages INDEXED BY idx_messages_prompts
    WHERE session_id = sessions.id AND origin = 'user'
    ORDER BY messages.id LIMIT 1) AS firstPrompt,
  (SELECT json_extract(record, '$.forked.session') FROM events
    WHERE session_id = sessions.id AND seq = 1) AS forkedFrom,
  agent_type AS agentType, parent_id AS parent, status, model, mode, sandbox, outcome,
  outcome_reason AS outcomeReason, turns, tool_calls AS toolCalls,
  input_tokens - cache_read_tokens - cache_write_tokens AS inputTokens,
  output_tokens AS outputTokens, cache_read_tokens AS cacheReadTokens, cache_write_tokens AS cacheWriteTokens,
  cost_usd AS costUsd, (SELECT seq FROM heads WHERE session_id = sessions.id) AS lastSeq, created_at AS createdAt, updated_at AS updatedAt`;

type Stored = Omit<SessionRow, 'pinned'> & { pinned: number };

/** Sessions, by default the one with the newest event first. */
export function listSessions(database: Database, filter: SessionFilter = {}): SessionRow[] {
  const pattern = filter.search === undefined ? null : `%${filter.search.replace(/[\\%_]/g, '\\$&')}%`;
  const { sort = 'updated', order = 'desc' } = filter;
  const key = SORTS[sort];
  const sql = `SELECT ${COLUMNS} FROM sessions
    WHERE (?1 IS NULL OR (${key}, id) ${order === 'desc' ? '<' : '>'} (SELECT ${key}, id FROM sessions WHERE id = ?1))
      AND (?4 IS NULL OR workspace_dir = ?4)
      AND (?2 IS NULL OR id LIKE ?2 ESCAPE '\\' OR title LIKE ?2 ESCAPE '\\' OR summary LIKE ?2 ESCAPE '\\'
        OR workspace_dir LIKE ?2 ESCAPE '\\'
        OR EXISTS (SELECT 1 FROM messages WHERE session_id = sessions.id AND content LIKE ?2 ESCAPE '\\'))
    ORDER BY ${key} ${order}, id ${order} LIMIT ?3`;
  const { before = null, limit = 50, workspace = null } = filter;
  return database.all<Stored>(sql, before, pattern, limit, workspace).map(fromStored);
}

/**
 * The session with this id, or the only one whose id begins so, whatever the case.
 *
 * @throws KlausError `usage` when several begin so.
 */
export function findSession(database: Database, idOrPrefix: string): SessionRow | undefined {
  const sql = `SELECT ${COLUMNS} FROM sessions WHERE id = ?1 OR substr(id, 1, length(?1)) = ?1 COLLATE NOCASE
    ORDER BY id <> ?1, id LIMIT 3`;
  if (idOrPrefix === '') return undefined;
  const rows = database.all<Stored>(sql, idOrPrefix).map(fromStored);
  if (rows.length > 1 && rows[0]?.id !== idOrPrefix) throw ambiguous('sessions', idOrPrefix, rows);
  return rows[0];
}

/** The newest session of a workspace that is not closed and was not begun by another session. */
export function findLatestSession(database: Database, workspace: string): SessionRow | undefined {
  const sql = `SELECT ${COLUMNS} FROM sessions
    WHERE workspace_dir = ? AND status <> 'closed' AND parent_id IS NULL
    ORDER BY updated_at DESC, id DESC LIMIT 1`;
  const row = database.get<Stored>(sql, workspace);
  return row && fromStored(row);
}

/** `usage`: more than one thing is meant. */
export function ambiguous(what: string, prefix: string, rows: readonly { id: string }[]): KlausError {
  return new KlausError('usage', `Several ${what} begin with "${prefix}": ${rows.map((row) => row.id).join(', ')}.`, {
    hint: 'Give more characters of the id.',
  });
}

function fromStored(row: Stored): SessionRow {
  return { ...row, pinned: row.pinned !== 0 };
}
