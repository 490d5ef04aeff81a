import { headOf } from '@klaus/core/cut-text';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { checkDatabaseFile } from '@klaus/adapters/database-file';
import type { AttentionFilter, AttentionList } from '@klaus/core/agent';
import type { Event } from '@klaus/core/protocol';
import { probeLock } from '../locks/probe-lock.ts';
import { readAttention } from './attention.ts';
import { type Reader, readTree } from './read-tree.ts';
import { createReadEvents } from './session-events.ts';

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

/** What a list shows of each session. The first prompt is null if there is a title. */
export type ListedState = Pick<
  SessionState,
  | 'id'
  | 'state'
  | 'agent'
  | 'costUsd'
  | 'title'
  | 'firstPrompt'
  | 'workspace'
  | 'parent'
  | 'forkedFrom'
  | 'outcome'
  | 'updatedAt'
>;

export interface StateQuery {
  /** Default: no limit. */
  limit?: number;
  /** True: only archived sessions. Default: only others. */
  archived?: boolean;
}

/** A view of all sessions that loads nothing of the engine and writes nothing. */
export interface SessionStates extends Disposable {
  /** The newest first. */
  readonly list: (query?: StateQuery) => SessionState[];
  /** The same with less of each, which is several times as fast. @param toItem What the list contains of each. */
  readonly listShort: <T>(query: StateQuery, toItem: (session: ListedState) => T) => T[];
  /** The full ids that begin with a prefix, ignoring case; the id alone if it is complete. At most ten. */
  readonly match: (prefix: string) => string[];
  /** The states of sessions by their full ids, in that order. Sessions that were deleted are absent. */
  readonly get: (ids: readonly string[]) => SessionState[];
  /**
   * The events of a session after `after`, at most a page of them; none at the end. Undefined if only the engine can read
   * them.
   */
  readonly events: (id: string, after: number) => Event[] | undefined;
  /** The sessions that need the user, as `SessionStore.attention`. */
  readonly attention: (filter?: AttentionFilter) => AttentionList;
  /** Changes with each commit of another process. */
  version(): number;
}

const COLUMNS = `id, agent_type AS agent, model, cost_usd AS costUsd, title, first_prompt AS firstPrompt,
  workspace_dir AS workspace, parent_id AS parent, forked_from AS forkedFrom, outcome, outcome_reason AS outcomeReason,
  created_at AS createdAt, updated_at AS updatedAt, status,
  (SELECT seq FROM heads WHERE session_id = sessions.id) AS lastSeq`;

const LAST_TEXT = `(SELECT substr(content, -2000) FROM messages INDEXED BY idx_messages_session
  WHERE session_id = sessions.id AND role = 'assistant' AND content <> '' ORDER BY id DESC LIMIT 1) AS lastText`;

/**
 * Of a row of a list. There can be thousands of them, and most of the time creates their strings: the most frequent values
 * are null. They are read as arrays, since the objects of `node:sqlite` take twice the time.
 */
const SHORT_COLUMNS = `id, nullif(agent_type, 'klaus'), cost_usd, title, CASE WHEN title IS NULL THEN first_prompt END,
  nullif(workspace_dir, ?2), parent_id, forked_from, nullif(coalesce(outcome, ''), 'done'), updated_at, nullif(status, 'idle')`;

type ShortRow = [
  id: string,
  /** Null: `klaus`. */
  agent: string | null,
  costUsd: number | null,
  title: string | null,
  firstPrompt: string | null,
  /** Null: that of the first row. */
  workspace: string | null,
  parent: string | null,
  forkedFrom: string | null,
  /** Empty: none. Null: `done`. */
  outcome: string | null,
  updatedAt: string,
  /** Null: `idle`. */
  status: string | null,
];

const toNewestFirst = (archived = false): string =>
  `FROM sessions WHERE archived = ${Number(archived)} ORDER BY updated_at DESC, id DESC LIMIT ?1`;

type Stored = Omit<SessionState, 'state' | 'isServed' | 'lastLine' | 'waitsFor' | 'problem'> & {
  status: string;
  lastText: string | null;
};

const MAX_LINE = 500;
const BUSY_TIMEOUT_MS = 5_000;

/** Name of the last migration. The migrations are not loaded for it: a test compares both. */
export const LATEST_MIGRATION = 'm020-held-cost';

/**
 * Opens the sessions of a state folder for reading.
 *
 * @returns Undefined if it has none yet.
 * @throws Error of SQLite for a database of another version or a damaged one.
 */
export function openSessionStates(home: string): SessionStates | undefined {
  const file = join(home, 'klaus.db');
  if (!existsSync(file)) return undefined;
  checkDatabaseFile(file);
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  const { name } = database.prepare('SELECT max(name) AS name FROM migrations').get() as { name: string | null };
  if (name !== LATEST_MIGRATION) {
    database.close();
    throw new Error(`The database is that of another version: ${name ?? 'without migrations'}.`);
  }
  const toName = createToName(database, home);
  return {
    list({ limit = -1, archived } = {}) {
      // The rest is read only of those that the list contains.
      const sql = `SELECT ${COLUMNS}, ${LAST_TEXT} FROM (SELECT id AS found ${toNewestFirst(archived)})
        JOIN sessions ON id = found ORDER BY updated_at DESC, id DESC`;
      const rows = database.prepare(sql).all(limit) as unknown as Stored[];
      const context = toContext(database, home);
      // A session without work is not in need of its folder, and there can be thousands of them.
      return rows.map((row) => toState(row, toName(row, context), { ...context, checksAll: false }));
    },
    listShort({ limit = -1, archived }, toItem) {
      const statement = database.prepare(`SELECT ${SHORT_COLUMNS} ${toNewestFirst(archived)}`);
      statement.setReturnArrays(true);
      const first = database.prepare('SELECT workspace_dir AS workspace FROM sessions LIMIT 1').get();
      const { workspace: usual = '' } = (first ?? {}) as { workspace?: string };
      const rows = statement.all(limit, usual) as unknown as ShortRow[];
      const context = toContext(database, home);
      return rows.map((row) => {
        const [id, agent, costUsd, title, firstPrompt, workspace, parent, forkedFrom, ended, updatedAt, status] = row;
        const outcome = ended === null ? 'done' : ended || null;
        return toItem({
          id,
          state: toName({ id, status: status ?? 'idle', outcome }, context),
          agent: agent ?? 'klaus',
          costUsd,
          title,
          firstPrompt,
          workspace: workspace ?? usual,
          parent,
          forkedFrom,
          outcome,
          updatedAt,
        });
      });
    },
    match(prefix) {
      // Ids are in upper case. Both ranges are those of the index.
      const sql = `SELECT id FROM sessions WHERE id BETWEEN ?1 AND ?1 || '~' OR id BETWEEN upper(?1) AND upper(?1) || '~'
        ORDER BY id <> ?1, id LIMIT 10`;
      if (prefix === '') return [];
      const ids = (database.prepare(sql).all(prefix) as { id: string }[]).map(({ id }) => id);
      return ids[0] === prefix ? [prefix] : ids;
    },
    get(ids) {
      const one = database.prepare(`SELECT ${COLUMNS}, ${LAST_TEXT} FROM sessions WHERE id = ?`);
      const context = { ...toContext(database, home), checksAll: true };
      return ids.flatMap((id) => {
        const row = one.get(id) as unknown as Stored | undefined;
        return row === undefined ? [] : [toState(row, toName(row, context), context)];
      });
    },
    events: createReadEvents(database),
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
  const parentOf = database.prepare('SELECT parent_id AS parent FROM sessions WHERE id = ? AND forked_from IS NULL');
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

function createToName(database: DatabaseSync, home: string) {
  const pending = database.prepare('SELECT 1 FROM inbox WHERE session_id = ? AND consumed_seq IS NULL LIMIT 1');
  const isClaimed = toIsClaimed(home);
  return (
    { id, status, outcome }: Pick<Stored, 'id' | 'status' | 'outcome'>,
    { waiting, served }: StateContext,
  ): SessionStateName => {
    if (waiting.has(id)) return 'needs-you';
    const isQueued = served.has(id) && pending.get(id) !== undefined;
    if ((status === 'running' || isQueued) && isClaimed(id)) return 'running';
    // It waits for a session below it.
    if (status === 'running') return readTree(toReader(database), id).some(isClaimed) ? 'running' : 'interrupted';
    if (isQueued) return 'queued';
    if (outcome === null) return 'idle';
    return outcome === 'done' ? 'done' : 'failed';
  };
}

function toState(
  { lastText, status: _, ...row }: Stored,
  state: SessionStateName,
  { waiting, served, checksAll }: StateContext & { checksAll: boolean },
): SessionState {
  const isChecked = checksAll || !['done', 'failed', 'idle'].includes(state);
  const isMissing = isChecked && !existsSync(row.workspace);
  return {
    ...row,
    state,
    isServed: served.has(row.id),
    lastLine: toLastLine(lastText),
    waitsFor: waiting.get(row.id) ?? [],
    problem: isMissing
      ? { code: 'workspace.missing', message: `Its workspace ${row.workspace} does not exist.` }
      : null,
  };
}

function toLastLine(text: string | null): string | null {
  const lines = (text ?? '').split('\n').map((line) => line.trim());
  const last = lines.findLast((line) => line !== '');
  return last === undefined ? null : headOf(last, MAX_LINE);
}
