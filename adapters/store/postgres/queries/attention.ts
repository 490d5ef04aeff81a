import type { AttentionFilter, AttentionItem, AttentionList, SessionSeen } from '@klaus/core/agent';
import {
  ANSWER_END,
  type AskedRow,
  ATTENTION_LIMIT,
  type EndedRow,
  FACTS,
  findRoot,
  MAX_RUNNING,
  NOTIFICATION_MS,
  type RunningRow,
  toAsked,
  toAttentionList,
  toEnded,
  toInterrupted,
} from '../../shared/attention-items.ts';
import type { Sql } from '../database.ts';
import { toEvent } from './events.ts';

/** The sessions that need the user. Its cost depends on the items, and on sessions only by small indexes. */
export async function readAttention(
  sql: Sql,
  { limit = ATTENTION_LIMIT }: AttentionFilter = {},
): Promise<AttentionList> {
  const asked = await readAsked(sql);
  const interrupted = await readInterrupted(sql, new Set(asked.map(({ session }) => session)));
  const counted = (await sql.get<{ done: number; failed: number }>(`SELECT
    count(*) FILTER (WHERE outcome = 'done') AS done, count(*) FILTER (WHERE outcome <> 'done') AS failed ${toUnseen('sessions')}`))!;
  const left = (rows: readonly unknown[]): number => Math.max(0, limit - rows.length);
  const urgent = [...asked, ...interrupted].slice(0, limit);
  const failed = await readEnded(sql, 'failed', left(urgent));
  const done = await readEnded(sql, 'done', left([...urgent, ...failed]));
  const counts = { answer: asked.length, failed: interrupted.length + counted.failed, done: counted.done };
  return toAttentionList([...urgent, ...failed, ...done], counts);
}

/** Records that the user has seen a session up to an event. False if that is not new. */
export async function putSeen(sql: Sql, { session, seq, at }: SessionSeen & { at: number }): Promise<boolean> {
  const text = `INSERT INTO attention_seen AS seen (session_id, seq, at) SELECT id, $2, $3 FROM sessions WHERE id = $1
    ON CONFLICT (session_id) DO UPDATE SET seq = excluded.seq, at = excluded.at WHERE excluded.seq > seen.seq`;
  return (await sql.run(text, [session, seq, at])) > 0;
}

/** True for the first caller with this item. */
export async function claimNotification(sql: Sql, item: string, at: number): Promise<boolean> {
  await sql.run('DELETE FROM notification_claims WHERE at < $1', [at - NOTIFICATION_MS]);
  const text = 'INSERT INTO notification_claims (item, at) VALUES ($1, $2) ON CONFLICT DO NOTHING';
  return (await sql.run(text, [item, at])) > 0;
}

/** The ends of runs that no user interface showed. A run that the user stopped needs no attention. */
const toUnseen = (table: 'sessions' | 'dated_sessions'): string =>
  `FROM ${table} AS sessions LEFT JOIN attention_seen AS seen ON seen.session_id = sessions.id
  WHERE ended_seq IS NOT NULL AND outcome <> 'cancelled' AND ended_seq > coalesce(seen.seq, 0)`;

async function readAsked(sql: Sql): Promise<AttentionItem[]> {
  const rows = await sql.all<AskedRow>(`SELECT approvals.id, session_id AS session, kind, approvals.title AS asks,
    approvals.created_at AS since, ${FACTS}
    FROM approvals JOIN sessions ON sessions.id = session_id WHERE answer IS NULL
    ORDER BY approvals.created_at, approvals.id`);
  const parents = await readParents(sql, [...new Set(rows.map(({ session }) => session))]);
  return rows.map((row) =>
    toAsked(
      row,
      findRoot(row.session, (id) => parents.get(id)),
    ),
  );
}

async function readInterrupted(sql: Sql, asking: ReadonlySet<string>): Promise<AttentionItem[]> {
  const rows = await sql.all<RunningRow>(`SELECT sessions.id AS session, heads.seq, updated_at AS since, ${FACTS}
    FROM sessions JOIN heads ON heads.session_id = sessions.id
    LEFT JOIN attention_seen AS seen ON seen.session_id = sessions.id
    WHERE status = 'running' AND heads.seq > coalesce(seen.seq, 0) ORDER BY sessions.id DESC LIMIT ${MAX_RUNNING}`);
  const waiting = rows.filter(({ session }) => !asking.has(session));
  const ids = waiting.map(({ session }) => session);
  const parents = await readParents(sql, ids);
  const working = await readWorking(sql, ids);
  return waiting
    .filter(({ session }) => findRoot(session, (id) => parents.get(id)) === session && !working.has(session))
    .map(toInterrupted)
    .toReversed();
}

/** The parents of sessions and of those above them. A fork has none: the user opened it. */
async function readParents(sql: Sql, sessions: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (sessions.length === 0) return new Map();
  const rows = await sql.all<{ id: string; parent: string }>(
    `WITH RECURSIVE above(id, parent) AS (
      SELECT id, parent_id FROM sessions WHERE id = ANY ($1::text[]) AND forked_from IS NULL
      UNION SELECT sessions.id, parent_id FROM sessions JOIN above ON sessions.id = above.parent
        WHERE forked_from IS NULL)
    SELECT above.id, parent FROM above JOIN sessions ON sessions.id = parent`,
    [sessions],
  );
  return new Map(rows.map(({ id, parent }) => [id, parent]));
}

/** The sessions that a live process holds, or one below them. */
async function readWorking(sql: Sql, sessions: readonly string[]): Promise<ReadonlySet<string>> {
  if (sessions.length === 0) return new Set();
  const rows = await sql.all<{ top: string }>(
    `WITH RECURSIVE live AS MATERIALIZED (SELECT session_id FROM live_leases), tree(top, id) AS (
      SELECT given COLLATE "C", given COLLATE "C" FROM unnest($1::text[]) AS given
      UNION SELECT top, sessions.id FROM sessions JOIN tree ON sessions.parent_id = tree.id)
    SELECT DISTINCT top FROM tree WHERE id IN (SELECT session_id FROM live)`,
    [sessions],
  );
  return new Set(rows.map(({ top }) => top));
}

async function readEnded(sql: Sql, kind: 'done' | 'failed', limit: number): Promise<AttentionItem[]> {
  if (limit === 0) return [];
  // The rows are chosen by a column that an end sets, so that no other record is read.
  const rows = await sql.all<Omit<EndedRow, 'at'> & { record: string }>(
    `SELECT sessions.id AS session, ended_seq AS seq, record, outcome_reason AS reason, (${LAST_ANSWER}) AS text, ${FACTS}
      FROM (SELECT sessions.id AS found ${toUnseen('dated_sessions')} AND outcome ${kind === 'done' ? '=' : '<>'} 'done'
        ORDER BY updated_at, sessions.id LIMIT $1) AS chosen
      JOIN dated_sessions AS sessions ON sessions.id = found JOIN events ON events.session_id = found AND events.seq = ended_seq
      ORDER BY updated_at, sessions.id`,
    [limit],
  );
  return rows.map(({ record, ...row }) => {
    const { at } = toEvent({ session: row.session, seq: row.seq, record });
    return toEnded({ ...row, at }, kind);
  });
}

/** The end of the last message of the model. */
const LAST_ANSWER = `SELECT right(content, ${ANSWER_END}) FROM messages
  WHERE session_id = sessions.id AND role = 'assistant' ORDER BY messages.id DESC LIMIT 1`;
