import type { AttentionFilter, AttentionItem, AttentionList, SessionSeen } from '@klaus/core/agent';
import type { Database } from '../database.ts';
import { toIso } from '../iso-time.ts';
import { type Reader, readTree } from './read-tree.ts';

/** Default of {@link AttentionFilter.limit}. */
const LIMIT = 200;
/** Characters of a line. */
const LINE = 200;
/** Characters of an answer in which its last line is searched. */
const END = 4_000;
/** Runs without an end that are compared with the processes that work on sessions, the latest first. */
const MAX_RUNNING = 500;
/** Milliseconds after which the claim of a notification is deleted. */
const CLAIM_MS = 7 * 24 * 60 * 60 * 1_000;

/** True while a live process holds the session. */
type IsClaimed = (session: string) => boolean;

/** The sessions that need the user. Its cost depends on the items, and on sessions only by one small index. */
export function readAttention(
  database: Reader,
  isClaimed: IsClaimed,
  { limit = LIMIT }: AttentionFilter = {},
): AttentionList {
  const asked = readAsked(database);
  const interrupted = readInterrupted(database, new Set(asked.map(({ session }) => session)), isClaimed);
  const counted = database.get<{ done: number; failed: number }>(`SELECT
    count(*) FILTER (WHERE outcome = 'done') AS done, count(*) FILTER (WHERE outcome <> 'done') AS failed ${UNSEEN}`)!;
  const left = (rows: readonly unknown[]): number => Math.max(0, limit - rows.length);
  const urgent = [...asked, ...interrupted].slice(0, limit);
  const failed = readEnded(database, "<> 'done'", left(urgent));
  const done = readEnded(database, "= 'done'", left([...urgent, ...failed]));
  const order = ({ since, id }: AttentionItem): string => `${since} ${id}`;
  return {
    items: [...urgent, ...failed, ...done].toSorted((a, b) => (order(a) < order(b) ? -1 : 1)),
    counts: { answer: asked.length, failed: interrupted.length + counted.failed, done: counted.done },
  };
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
  database.run('DELETE FROM notification_claims WHERE at < ?', at - CLAIM_MS);
  return database.run('INSERT OR IGNORE INTO notification_claims (item, at) VALUES (?, ?)', item, at).changes > 0;
}

/** The ends of runs that no user interface showed. A run that the user stopped needs no attention. */
const UNSEEN = `FROM sessions INDEXED BY idx_sessions_ended LEFT JOIN attention_seen AS seen ON seen.session_id = sessions.id
  WHERE ended_seq IS NOT NULL AND outcome <> 'cancelled' AND ended_seq > coalesce(seen.seq, 0)`;

const FACTS = `sessions.workspace_dir AS workspace, sessions.project_hash AS project, sessions.agent_type AS agent,
  coalesce(sessions.title, sessions.first_prompt) AS title`;

type Facts = Pick<AttentionItem, 'workspace' | 'project' | 'agent' | 'title'>;

function readAsked(database: Reader): AttentionItem[] {
  type Row = Facts & { id: string; session: string; kind: 'call' | 'changes' | 'plan' | 'limit'; asks: string } & {
    since: string;
  };
  const rows = database.all<Row>(`SELECT approvals.id, session_id AS session, kind, approvals.title AS asks,
    approvals.created_at AS since, ${FACTS}
    FROM approvals JOIN sessions ON sessions.id = session_id WHERE answer IS NULL ORDER BY approvals.created_at`);
  return rows.map(({ asks, session: asker, ...row }) => {
    const session = findRoot(database, asker);
    const child = session === asker ? null : asker;
    return { ...row, session, child, seq: null, line: toFirstLine(asks), action: 'answer' };
  });
}

function readInterrupted(database: Reader, asking: ReadonlySet<string>, isClaimed: IsClaimed): AttentionItem[] {
  type Row = Facts & { session: string; seq: number; since: string };
  const rows = database.all<Row>(`SELECT sessions.id AS session, heads.seq, sessions.updated_at AS since, ${FACTS}
    FROM sessions INDEXED BY idx_sessions_running JOIN heads ON heads.session_id = sessions.id
    LEFT JOIN attention_seen AS seen ON seen.session_id = sessions.id
    WHERE status = 'running' AND heads.seq > coalesce(seen.seq, 0) ORDER BY sessions.id DESC LIMIT ${MAX_RUNNING}`);
  return rows
    .filter(({ session }) => !asking.has(session) && !isClaimed(session) && findRoot(database, session) === session)
    .filter(({ session }) => !readTree(database, session).some(isClaimed))
    .map((row) => ({
      ...row,
      id: `${row.session}:${row.seq}`,
      kind: 'interrupted' as const,
      child: null,
      line: 'The process of the run ended.',
      action: 'resume' as const,
    }))
    .toReversed();
}

function readEnded(database: Reader, outcome: "= 'done'" | "<> 'done'", limit: number): AttentionItem[] {
  if (limit === 0) return [];
  type Row = Facts & { session: string; seq: number; at: number; reason: string; text: string | null };
  // The rows are chosen by a column that an end sets, so that no other record is read.
  const rows = database.all<Row>(
    `SELECT sessions.id AS session, ended_seq AS seq, json_extract(record, '$.at') AS at, outcome_reason AS reason,
      (SELECT substr(content, -${END}) FROM messages WHERE session_id = sessions.id AND role = 'assistant'
        ORDER BY messages.id DESC LIMIT 1) AS text, ${FACTS}
      FROM (SELECT sessions.id AS found ${UNSEEN} AND outcome ${outcome} ORDER BY updated_at, sessions.id LIMIT ?)
      JOIN sessions ON sessions.id = found JOIN events ON events.session_id = found AND events.seq = ended_seq`,
    limit,
  );
  const isDone = outcome === "= 'done'";
  return rows.map(({ reason, text, at, ...row }) => ({
    ...row,
    id: `${row.session}:${row.seq}`,
    kind: isDone ? 'done' : 'failed',
    child: null,
    since: toIso(at),
    line: isDone ? toLastLine(text ?? '') || reason : toFirstLine(reason),
    action: isDone ? 'look' : 'resume',
  }));
}

/** The session that the user opened. A fork of a child session is one. */
function findRoot(database: Reader, session: string): string {
  type Row = { id: string };
  const sql = `SELECT parent_id AS id FROM sessions WHERE id = ?1 AND EXISTS (SELECT 1 FROM sessions AS above
    WHERE above.id = sessions.parent_id) AND forked_from IS NULL`;
  const found = [session];
  for (let row = database.get<Row>(sql, session); row && !found.includes(row.id); row = database.get<Row>(sql, row.id))
    found.push(row.id);
  return found.at(-1)!;
}

function toFirstLine(text: string): string {
  return toLines(text)[0]?.slice(0, LINE) ?? '';
}

function toLastLine(text: string): string {
  return toLines(text).at(-1)?.slice(0, LINE) ?? '';
}

function toLines(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}
