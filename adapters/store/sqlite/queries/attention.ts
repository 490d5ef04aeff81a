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
import type { Database } from '../database.ts';
import { type Reader, readTree } from './read-tree.ts';

/** True while a live process holds the session. */
type IsClaimed = (session: string) => boolean;

/** The sessions that need the user. Its cost depends on the items, and on sessions only by one small index. */
export function readAttention(
  database: Reader,
  isClaimed: IsClaimed,
  { limit = ATTENTION_LIMIT }: AttentionFilter = {},
): AttentionList {
  const asked = readAsked(database);
  const interrupted = readInterrupted(database, new Set(asked.map(({ session }) => session)), isClaimed);
  const counted = database.get<{ done: number; failed: number }>(`SELECT
    count(*) FILTER (WHERE outcome = 'done') AS done, count(*) FILTER (WHERE outcome <> 'done') AS failed ${UNSEEN}`)!;
  const left = (rows: readonly unknown[]): number => Math.max(0, limit - rows.length);
  const urgent = [...asked, ...interrupted].slice(0, limit);
  const failed = readEnded(database, "<> 'done'", left(urgent));
  const done = readEnded(database, "= 'done'", left([...urgent, ...failed]));
  const counts = { answer: asked.length, failed: interrupted.length + counted.failed, done: counted.done };
  return toAttentionList([...urgent, ...failed, ...done], counts);
}

/** Records that the user has seen a session up to an event. */
export function putSeen(database: Database, { session, seq, at }: SessionSeen & { at: number }): void {
  database.run(
    `INSERT INTO attention_seen (session_id, seq, at) SELECT ?1, ?2, ?3 FROM sessions WHERE id = ?1
      ON CONFLICT (session_id) DO UPDATE SET seq = excluded.seq, at = excluded.at WHERE excluded.seq > seq`,
    session,
    seq,
    at,
  );
}

/** True if that is new, so that nothing needs to be written otherwise. */
export function isUnseen(database: Database, { session, seq }: SessionSeen): boolean {
  return !database.get('SELECT 1 FROM attention_seen WHERE session_id = ? AND seq >= ?', session, seq);
}

/** True for the first caller with this item. */
export function claimNotification(database: Database, item: string, at: number): boolean {
  database.run('DELETE FROM notification_claims WHERE at < ?', at - NOTIFICATION_MS);
  return database.run('INSERT OR IGNORE INTO notification_claims (item, at) VALUES (?, ?)', item, at).changes > 0;
}

/** The ends of runs that no user interface showed. A run that the user stopped needs no attention. */
const UNSEEN = `FROM sessions INDEXED BY idx_sessions_ended LEFT JOIN attention_seen AS seen ON seen.session_id = sessions.id
  WHERE ended_seq IS NOT NULL AND outcome <> 'cancelled' AND ended_seq > coalesce(seen.seq, 0)`;

function readAsked(database: Reader): AttentionItem[] {
  const rows = database.all<AskedRow>(`SELECT approvals.id, session_id AS session, kind, approvals.title AS asks,
    approvals.created_at AS since, ${FACTS}
    FROM approvals JOIN sessions ON sessions.id = session_id WHERE answer IS NULL ORDER BY approvals.created_at`);
  return rows.map((row) => toAsked(row, findRootOf(database, row.session)));
}

function readInterrupted(database: Reader, asking: ReadonlySet<string>, isClaimed: IsClaimed): AttentionItem[] {
  const rows =
    database.all<RunningRow>(`SELECT sessions.id AS session, heads.seq, sessions.updated_at AS since, ${FACTS}
    FROM sessions INDEXED BY idx_sessions_running JOIN heads ON heads.session_id = sessions.id
    LEFT JOIN attention_seen AS seen ON seen.session_id = sessions.id
    WHERE status = 'running' AND heads.seq > coalesce(seen.seq, 0) ORDER BY sessions.id DESC LIMIT ${MAX_RUNNING}`);
  return rows
    .filter(({ session }) => !asking.has(session) && !isClaimed(session) && findRootOf(database, session) === session)
    .filter(({ session }) => !readTree(database, session).some(isClaimed))
    .map(toInterrupted)
    .toReversed();
}

function readEnded(database: Reader, outcome: "= 'done'" | "<> 'done'", limit: number): AttentionItem[] {
  if (limit === 0) return [];
  // The rows are chosen by a column that an end sets, so that no other record is read.
  const rows = database.all<EndedRow>(
    `SELECT sessions.id AS session, ended_seq AS seq, json_extract(record, '$.at') AS at, outcome_reason AS reason,
      (SELECT substr(content, -${ANSWER_END}) FROM messages WHERE session_id = sessions.id AND role = 'assistant'
        ORDER BY messages.id DESC LIMIT 1) AS text, ${FACTS}
      FROM (SELECT sessions.id AS found ${UNSEEN} AND outcome ${outcome} ORDER BY updated_at, sessions.id LIMIT ?)
      JOIN sessions ON sessions.id = found JOIN events ON events.session_id = found AND events.seq = ended_seq`,
    limit,
  );
  return rows.map((row) => toEnded(row, outcome === "= 'done'" ? 'done' : 'failed'));
}

function findRootOf(database: Reader, session: string): string {
  const sql = `SELECT parent_id AS id FROM sessions WHERE id = ?1 AND EXISTS (SELECT 1 FROM sessions AS above
    WHERE above.id = sessions.parent_id) AND forked_from IS NULL`;
  return findRoot(session, (id) => database.get<{ id: string }>(sql, id)?.id);
}
