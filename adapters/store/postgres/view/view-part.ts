import { toReadableCommands, type CommandRow } from '../../shared/stored-command.ts';
import type { ApprovalRow, SessionRow } from '@klaus/core/agent';
import { isKlausError, type Command } from '@klaus/core/protocol';
import { SELECT_APPROVALS } from '../../shared/approval-columns.ts';
import { ANSWER_END } from '../../shared/attention-items.ts';
import { SESSION_COLUMNS, type StoredSession, toSessionRow } from '../../shared/session-columns.ts';
import type { ChildFact } from '../../shared/open-children.ts';
import type { Sql } from '../database.ts';
import { type EventRow, toEvent } from '../queries/events.ts';

/** What a view keeps of one session. */
export interface ViewRow {
  row: SessionRow;
  /** Every event up to this one was shown; 0 if none was. */
  seen: number;
  /** The end of its last run, of a session that the user opened, if no user interface showed it. */
  ended: { seq: number; at: number; reason: string; text: string | null } | undefined;
}

/** The state of some sessions. A session without an entry has nothing of that kind. */
export interface ViewPart {
  rows: ViewRow[];
  /** Open questions, the oldest first. */
  approvals: ApprovalRow[];
  /** Commands that are not consumed yet, in order of arrival. */
  inbox: { session: string; command: Command }[];
  /** Heads of sessions, also of those that have no row. */
  heads: { session: string; seq: number }[];
  /** All sessions that a live process holds. */
  claims: string[];
  /** What the logs say about child sessions, in order within each session. */
  children: (ChildFact & { session: string })[];
}

/** The sessions that a view keeps: the latest, and all others that may need the user or work. */
export async function listViewSessions(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql.all<{ id: string }>(
    `(SELECT id FROM dated_sessions ORDER BY updated_minute DESC, updated_at DESC, id DESC LIMIT $1)
      UNION SELECT id FROM sessions WHERE status = 'running'
      UNION SELECT session_id FROM approvals WHERE answer IS NULL
      UNION SELECT session_id FROM inbox WHERE consumed_seq IS NULL
      UNION SELECT session_id FROM live_leases
      UNION SELECT id FROM sessions LEFT JOIN attention_seen AS seen ON seen.session_id = sessions.id
        WHERE ended_seq IS NOT NULL AND outcome <> 'cancelled' AND ended_seq > coalesce(seen.seq, 0)`,
    [limit],
  );
  return rows.map(({ id }) => id);
}

/** Reads the state of sessions and of those above them, in the caller's snapshot. */
export async function readViewPart(sql: Sql, sessions: readonly string[]): Promise<ViewPart> {
  const [rows, approvals, inbox, heads, claims, children] = await Promise.all([
    sql.all<StoredSession & { seen: number; endedSeq: number | null; record: string | null; text: string | null }>(
      ROWS,
      [sessions],
    ),
    sql.all<ApprovalRow>(
      `${SELECT_APPROVALS} WHERE answer IS NULL AND session_id = ANY ($1::text[])
        ORDER BY approvals.created_at, approvals.id`,
      [sessions],
    ),
    sql.all<CommandRow & { session: string }>(
      `SELECT session_id AS session, command_id AS id, command FROM inbox WHERE consumed_seq IS NULL AND session_id = ANY ($1::text[])
        ORDER BY inbox.id`,
      [sessions],
    ),
    sql.all<{ session: string; seq: number }>(
      'SELECT session_id AS session, seq FROM heads WHERE session_id = ANY ($1::text[])',
      [sessions],
    ),
    readClaims(sql),
    sql.all<ChildFact & { session: string }>(CHILDREN, [sessions]),
  ]);
  return {
    rows: rows.map(({ seen, endedSeq, record, text, ...stored }) => {
      const row = toSessionRow(stored);
      if (endedSeq === null || record === null) return { row, seen, ended: undefined };
      const at = toTime({ session: row.id, seq: endedSeq, record }) ?? Date.parse(row.updatedAt);
      return { row, seen, ended: { seq: endedSeq, at, reason: row.outcomeReason ?? '', text } };
    }),
    approvals,
    inbox: inbox.flatMap(({ session, ...row }) =>
      toReadableCommands(session, [row]).map((command) => ({ session, command })),
    ),
    heads,
    claims,
    children,
  };
}

/** Undefined for a damaged record: those who read the log report it, and the other sessions are shown. */
function toTime(row: EventRow): number | undefined {
  try {
    return toEvent(row).at;
  } catch (error) {
    if (isKlausError(error) && error.code === 'store.corrupt') return undefined;
    throw error;
  }
}

/** The sessions that a live process holds. */
export async function readClaims(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ id: string }>('SELECT session_id AS id FROM live_leases');
  return rows.map(({ id }) => id);
}

/** The last claim of a session whose holder ended without a release. */
export interface AbandonedClaim {
  session: string;
  fence: number;
}

/** The claims of processes that ended: they may not have announced their last events. */
export function readAbandonedClaims(sql: Sql): Promise<AbandonedClaim[]> {
  return sql.all(
    `SELECT session_id AS session, fence FROM leases WHERE holder IS NOT NULL
     EXCEPT SELECT session_id, fence FROM live_leases`,
  );
}

/** The record and the text belong to an end that needs the user, and are read of no other session. */
const ROWS = `WITH RECURSIVE above(id) AS (
    SELECT given COLLATE "C" FROM unnest($1::text[]) AS given
    UNION SELECT parent_id FROM sessions JOIN above USING (id) WHERE parent_id IS NOT NULL)
  SELECT ${SESSION_COLUMNS}, coalesce(seen.seq, 0) AS seen, open.ended AS "endedSeq", open.record, open.text
  FROM dated_sessions AS sessions LEFT JOIN attention_seen AS seen ON seen.session_id = sessions.id
  LEFT JOIN LATERAL (
    SELECT ended_seq AS ended, record, CASE WHEN outcome = 'done' THEN (
      SELECT right(content, ${ANSWER_END}) FROM messages
      WHERE session_id = sessions.id AND role = 'assistant' ORDER BY messages.id DESC LIMIT 1) END AS text
    FROM events WHERE events.session_id = sessions.id AND events.seq = ended_seq
      AND outcome <> 'cancelled' AND ended_seq > coalesce(seen.seq, 0)
  ) AS open ON true
  WHERE id IN (SELECT id FROM above)`;

/**
 * An index has exactly these events. The id is found in the text, because a grant in the record may be large: a quotation
 * mark in a value is escaped there, so that the first match is the field.
 */
const CHILDREN = `SELECT session_id AS session, type, substring(record FROM '"child":"([^"]*)"') AS child FROM events
  WHERE session_id = ANY ($1::text[]) AND type IN ('child.opened', 'child.closed') ORDER BY session_id, seq`;
