import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { AttentionFilter, AttentionList } from '@klaus/core/agent';
import { probeLock } from '../locks/probe-lock.ts';
import { readAttention } from './attention.ts';
import type { Reader } from './read-tree.ts';

/**
 * What a session does, as of all processes: `needs-you` an approval is open; `running` a process works on it; `queued`
 * it waits for its turn in the daemon; `interrupted` the process of its run ended; `failed` the last run did not finish;
 * `done`; `idle` it has not run.
 */
export type SessionStateName = 'needs-you' | 'running' | 'queued' | 'interrupted' | 'failed' | 'done' | 'idle';

/** A session with its present state. Times are ISO 8601 in UTC. */
export interface SessionState {
  id: string;
  state: SessionStateName;
  agent: string;
  model: string | null;
  /** US dollars; null if a price is unknown. */
  costUsd: number | null;
  title: string | null;
  /** At most 200 characters. */
  firstPrompt: string | null;
  /** Absolute path. */
  workspace: string;
  parent: string | null;
  /** The session that it is a fork of. */
  forkedFrom: string | null;
  /** Of the last run; null during a run and before the first one. */
  outcome: string | null;
  outcomeReason: string | null;
  createdAt: string;
  updatedAt: string;
  lastSeq: number;
  /** True if a server is responsible for its work, also while none runs. */
  isServed: boolean;
  /** The last line that its model wrote, at most 500 characters; null without one. */
  lastLine: string | null;
  /** What it waits for, the oldest first: its open approvals and those of the sessions below it. */
  waitsFor: readonly WaitingFor[];
  /** Why it cannot run; null if nothing is known that prevents it. A list checks only sessions with work. */
  problem: { code: 'workspace.missing'; message: string } | null;
}

export interface WaitingFor {
  approval: string;
  session: string;
  title: string;
}

export interface StateQuery {
  /** Default: no limit. */
  limit?: number;
  /** Absolute real path. Default: every folder. */
  workspace?: string;
  /** False: `lastLine` is null, which is faster. Default true. */
  lines?: boolean;
}

/** A view of all sessions that loads nothing of the engine and writes nothing. */
export interface SessionStates extends Disposable {
  /** The newest first. */
  readonly list: (query?: StateQuery) => SessionState[];
  /** The full ids that begin with a prefix, ignoring case; the id alone if it is complete. At most ten. */
  readonly match: (prefix: string) => string[];
  /** The state of a session by its full id. */
  readonly get: (id: string) => SessionState | undefined;
  /** The sessions that need the user, as `SessionStore.attention`. */
  readonly attention: (filter?: AttentionFilter) => AttentionList;
  /** Changes with each commit of another process. */
  version(): number;
}

/** Only a session with a parent can be a fork: the first record of the others is not parsed. */
const COLUMNS = `id, agent_type AS agent, model, cost_usd AS costUsd, title, workspace_dir AS workspace,
  parent_id AS parent, outcome, outcome_reason AS outcomeReason, created_at AS createdAt, updated_at AS updatedAt,
  status, (SELECT seq FROM heads WHERE session_id = sessions.id) AS lastSeq,
  CASE WHEN parent_id IS NOT NULL THEN (SELECT json_extract(record, '$.forked.session') FROM events
    WHERE session_id = sessions.id AND seq = 1) END AS forkedFrom,
  (SELECT substr(content, 1, 200) FROM messages INDEXED BY idx_messages_prompts
    WHERE session_id = sessions.id AND origin = 'user' ORDER BY id LIMIT 1) AS firstPrompt`;

const LAST_TEXT = `(SELECT substr(content, -2000) FROM messages INDEXED BY idx_messages_session
  WHERE session_id = sessions.id AND role = 'assistant' AND content <> '' ORDER BY id DESC LIMIT 1) AS lastText`;

type Stored = Omit<SessionState, 'state' | 'isServed' | 'lastLine' | 'waitsFor' | 'problem'> & {
  status: string;
  lastText: string | null;
};

const MAX_LINE = 500;
const BUSY_TIMEOUT_MS = 5_000;

/** Name of the last migration. The migrations are not loaded for it: a test compares both. */
export const LATEST_MIGRATION = 'm015-attention';

/**
 * Opens the sessions of a state folder for reading.
 *
 * @returns Undefined if it has none yet.
 * @throws Error of SQLite for a database of another version or a damaged one.
 */
export function openSessionStates(home: string): SessionStates | undefined {
  const file = join(home, 'klaus.db');
  if (!existsSync(file)) return undefined;
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  const toState = createToState(database, home);
  const { name } = database.prepare('SELECT max(name) AS name FROM migrations').get() as { name: string | null };
  if (name !== LATEST_MIGRATION) {
    database.close();
    throw new Error(`The database is that of another version: ${name ?? 'without migrations'}.`);
  }
  const one = database.prepare(`SELECT ${COLUMNS}, ${LAST_TEXT} FROM sessions WHERE id = ?`);
  return {
    list({ limit = -1, workspace, lines = true } = {}) {
      const sql = `SELECT ${COLUMNS}, ${lines ? LAST_TEXT : 'NULL AS lastText'} FROM sessions WHERE (?1 IS NULL OR workspace_dir = ?1)
        ORDER BY updated_at DESC, id DESC LIMIT ?2`;
      const rows = database.prepare(sql).all(workspace ?? null, limit) as unknown as Stored[];
      const context = toContext(database, home);
      // A session without work is not in need of its folder, and there can be thousands of them.
      return rows.map((row) => toState(row, { ...context, checksAll: false }));
    },
    match(prefix) {
      const sql = `SELECT id FROM sessions WHERE id = ?1 OR substr(id, 1, length(?1)) = ?1 COLLATE NOCASE
        ORDER BY id <> ?1, id LIMIT 10`;
      if (prefix === '') return [];
      const ids = (database.prepare(sql).all(prefix) as { id: string }[]).map(({ id }) => id);
      return ids[0] === prefix ? [prefix] : ids;
    },
    get(id) {
      const row = one.get(id) as unknown as Stored | undefined;
      return row && toState(row, { ...toContext(database, home), checksAll: true });
    },
    attention: (filter) => readAttention(toReader(database), toIsClaimed(home), filter),
    version: () => (database.prepare('PRAGMA data_version').get() as { data_version: number }).data_version,
    [Symbol.dispose]: () => database.close(),
  };
}

interface StateContext {
  waiting: ReadonlyMap<string, readonly WaitingFor[]>;
  /** Sessions for which a server is responsible. */
  served: ReadonlySet<string>;
}

/** What concerns all sessions, read once for a list. */
function toContext(database: DatabaseSync, home: string): StateContext {
  const waiting = new Map<string, WaitingFor[]>();
  const parentOf = database.prepare(
    `SELECT parent_id AS parent FROM sessions WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM events
      WHERE session_id = ?1 AND seq = 1 AND json_extract(record, '$.forked') IS NOT NULL)`,
  );
  const sql = `SELECT id AS approval, session_id AS session, title FROM approvals WHERE answer IS NULL ORDER BY created_at`;
  for (const open of database.prepare(sql).all() as unknown as WaitingFor[]) {
    // A session also waits for the answers that the sessions below it need.
    for (let id: string | null = open.session; id !== null;) {
      waiting.set(id, [...(waiting.get(id) ?? []), { ...open }]);
      id = (parentOf.get(id) as { parent: string | null } | undefined)?.parent ?? null;
    }
  }
  return { waiting, served: readServed(join(home, 'server', 'runs')) };
}

function readServed(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder));
  } catch {
    return new Set();
  }
}

function toReader(database: DatabaseSync): Reader {
  return {
    all: <Row>(sql: string, ...values: SQLInputValue[]) => database.prepare(sql).all(...values) as Row[],
    get: <Row>(sql: string, ...values: SQLInputValue[]) => database.prepare(sql).get(...values) as Row | undefined,
  };
}

function toIsClaimed(home: string): (id: string) => boolean {
  return (id) => probeLock(join(home, 'locks', `${id}.lock`));
}

function createToState(database: DatabaseSync, home: string) {
  const pending = database.prepare('SELECT 1 FROM inbox WHERE session_id = ? AND consumed_seq IS NULL LIMIT 1');
  const isClaimed = toIsClaimed(home);
  const toName = ({ id, status, outcome }: Stored, { waiting, served }: StateContext): SessionStateName => {
    if (waiting.has(id)) return 'needs-you';
    const isQueued = served.has(id) && pending.get(id) !== undefined;
    if ((status === 'running' || isQueued) && isClaimed(id)) return 'running';
    if (status === 'running') return 'interrupted';
    if (isQueued) return 'queued';
    if (outcome === null) return 'idle';
    return outcome === 'done' ? 'done' : 'failed';
  };
  return ({ lastText, status, ...row }: Stored, context: StateContext & { checksAll: boolean }): SessionState => {
    const state = toName({ lastText, status, ...row }, context);
    const isChecked = context.checksAll || !['done', 'failed', 'idle'].includes(state);
    const isMissing = isChecked && !existsSync(row.workspace);
    return {
      ...row,
      state,
      isServed: context.served.has(row.id),
      lastLine: toLastLine(lastText),
      waitsFor: context.waiting.get(row.id) ?? [],
      problem: isMissing
        ? { code: 'workspace.missing', message: `Its workspace ${row.workspace} does not exist.` }
        : null,
    };
  };
}

function toLastLine(text: string | null): string | null {
  const lines = (text ?? '').split('\n').map((line) => line.trim());
  return lines.findLast((line) => line !== '')?.slice(0, MAX_LINE) ?? null;
}
