import type { SessionRow } from '@klaus/core/agent';
import { KlausError, SERVICE_MODELS } from '@klaus/core/protocol';

/** The columns of {@link StoredSession}, in the SQL of both stores. */
export const SESSION_COLUMNS = `id, workspace_dir AS workspace, project_hash AS project, title, summary, pinned, archived,
  first_prompt AS "firstPrompt", forked_from AS "forkedFrom",
  agent_type AS "agentType", parent_id AS parent, status, model, mode, sandbox, outcome,
  outcome_reason AS "outcomeReason", turns, tool_calls AS "toolCalls",
  input_tokens - cache_read_tokens - cache_write_tokens AS "inputTokens",
  output_tokens AS "outputTokens", cache_read_tokens AS "cacheReadTokens", cache_write_tokens AS "cacheWriteTokens",
  cost_usd AS "costUsd", (SELECT seq FROM heads WHERE session_id = sessions.id) AS "lastSeq", created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Sessions that can be the latest one of a folder, in the SQL of both stores: the user opened them, and they are not closed. */
export const CAN_BE_LATEST = `status <> 'closed' AND parent_id IS NULL
  AND coalesce(model, '') NOT IN (${Object.values(SERVICE_MODELS)
    .map((model) => `'${model}'`)
    .join(', ')})`;

/** A row of `sessions` as a statement returns it. */
export type StoredSession = Omit<SessionRow, 'pinned' | 'archived'> & { pinned: number; archived: number };

export function toSessionRow(row: StoredSession): SessionRow {
  return { ...row, pinned: row.pinned !== 0, archived: row.archived !== 0 };
}

/** A pattern for LIKE, with the escape character `\`, for texts that contain the given one. */
export function toContains(text: string): string {
  return `%${escapePattern(text)}%`;
}

/** A pattern for LIKE that only the given text matches. */
function escapePattern(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/**
 * The row with this id, or the only one whose id has this prefix.
 *
 * @param rows Rows with this prefix, the one with the id first. Two are enough to find that it is not unique.
 * @throws KlausError `usage` when several ids have this prefix.
 */
export function pickByPrefix<T extends { id: string }>(
  what: string,
  prefix: string,
  rows: readonly T[],
): T | undefined {
  const exact = rows.filter(({ id }) => id === prefix);
  if (exact.length === 1) return exact[0];
  if (rows.length <= 1) return rows[0];
  const found = rows.map(({ id }) => id).join(', ');
  throw new KlausError('usage', `Several ${what} begin with "${prefix}": ${found}.`, {
    hint: 'Give more characters of the id.',
  });
}
