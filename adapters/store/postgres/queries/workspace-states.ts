import type { EventOf } from '@klaus/core/protocol';
import type { Sql } from '../database.ts';
import { toEventOf, type EventRow } from './events.ts';

/** Types of the events that can name the state of a workspace. */
export type StateEventType = 'workspace.snapshotted' | 'workspace.restored' | 'workspace.committed' | 'tool.finished';

/**
 * The last events of all sessions of a workspace that name its state, the newest first. Events that a fork copied, and those
 * with which it closed the copy, name no state of its own.
 *
 * @param workspace Absolute path.
 */
export async function readWorkspaceStates(
  sql: Sql,
  workspace: string,
  limit: number,
): Promise<EventOf<StateEventType>[]> {
  const rows = await sql.all<EventRow>(SELECT, [workspace, limit]);
  return rows.map((row) => toEventOf<StateEventType>(row));
}

/** Ids of events grow with the time of their append, and only one worker at a time uses a workspace. */
const SELECT = `SELECT found.session_id AS session, found.seq, found.record
  FROM sessions
  LEFT JOIN events AS opened ON opened.session_id = sessions.id AND opened.seq = 1
  CROSS JOIN LATERAL (
    SELECT events.id, events.session_id, events.seq, events.record FROM events
    WHERE events.session_id = sessions.id
      AND events.seq > coalesce((opened.record::json #>> '{forked,seq}')::bigint, 0)
        + coalesce((opened.record::json #>> '{forked,settled}')::bigint, 0)
      AND (events.type IN ('workspace.snapshotted', 'workspace.restored', 'workspace.committed')
        OR events.type = 'tool.finished' AND events.record LIKE '%"evidence":{%'
          AND events.record::json #>> '{evidence,tree}' IS NOT NULL)
    ORDER BY events.seq DESC LIMIT $2
  ) AS found
  WHERE sessions.workspace_dir = $1 ORDER BY found.id DESC LIMIT $2`;
