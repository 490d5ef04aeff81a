import type {
  ApprovalFilter,
  ApprovalRow,
  ChangeMark,
  Clock,
  SessionFilter,
  SessionRow,
  StoreView,
} from '@klaus/core/agent';
import type { Command } from '@klaus/core/protocol';
import type { Database } from '../database.ts';
import { toAsciiLower } from '../queries/prefix-range.ts';
import { toViewAttention } from './view-attention.ts';
import { listViewSessions, readClaims, readViewPart, type ViewPart, type ViewRow } from './view-part.ts';

/** Default of {@link ViewOptions.sessions}. */
const SESSIONS = 10_000;
/** Changed sessions that marks distinguish. */
const MAX_CHANGES = 10_000;
/** Milliseconds between two reads of the sessions that live processes hold: a killed process sends no notification. */
const CLAIMS_MS = 1_000;

/**
 * A view in memory. It contains the latest sessions, and all others that a process works on, or that need the user. It
 * has no complete logs, and of questions only the open ones.
 */
export interface PostgresView extends Omit<
  StoreView,
  'sessions' | 'approvals' | 'events' | 'texts' | 'eventsOf' | 'hostEvents' | 'watch' | 'onUnreadable'
> {
  /** By default the session with the newest event first. Messages are not searched. */
  sessions(filter?: Omit<SessionFilter, 'search'>): SessionRow[];
  /** Open questions, the oldest first. */
  approvals(filter: ApprovalFilter & { open: true }): ApprovalRow[];
}

/** A view with what keeps it current. */
export interface LoadedView {
  readonly view: PostgresView;
  /**
   * Reads the state of a session again. Call it after a commit of this process and with each notification, before the
   * listeners. Calls during a read share the next one.
   */
  refresh(session: string): Promise<void>;
  /** Reads everything again. Call it after notifications may have been missed. */
  reload(): Promise<void>;
  close(): void;
}

export interface ViewOptions {
  clock: Pick<Clock, 'every'>;
  /** Idle sessions in memory, the latest. Default 10,000. */
  sessions?: number;
}

/** Loads the view. */
export async function createView(database: Database, options: ViewOptions): Promise<LoadedView> {
  const memory = new ViewMemory(database, options.sessions ?? SESSIONS);
  await memory.reload();
  // An error is a lost connection: the next read or reload succeeds.
  const stop = options.clock.every(CLAIMS_MS, () => void memory.readClaims().catch(() => {}));
  return {
    view: {
      sessions: (filter) => listRows(memory.rows, filter),
      session: (id) => memory.rows.get(id)?.row,
      head: (session) => toHead(memory.heads.get(session)),
      approvals: ({ session }) => listApprovals(memory.approvals, session),
      attention: (filter) => toViewAttention(memory, filter),
      inbox: (session) => [...(memory.inbox.get(session) ?? [])],
      isClaimed: (session) => memory.claims.has(session),
      changedSessions: (since) => memory.changedSessions(since),
    },
    refresh: (session) => memory.refresh(session),
    reload: () => memory.reload(),
    close: stop,
  };
}

class ViewMemory {
  readonly rows = new Map<string, ViewRow>();
  readonly heads = new Map<string, number>();
  readonly approvals = new Map<string, ApprovalRow[]>();
  readonly inbox = new Map<string, Command[]>();
  claims: ReadonlySet<string> = new Set();
  readonly #database: Database;
  readonly #limit: number;
  /** Number of the last change of each session, the latest last. */
  readonly #changes = new Map<string, number>();
  #lastChange = 0;
  /** Changes up to this one are not known by session. */
  #forgotten = 0;
  readonly #stale = new Set<string>();
  /** Reads follow each other, so that an older state never replaces a newer one. */
  #reads: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(database: Database, limit: number) {
    this.#database = database;
    this.#limit = limit;
  }

  reload(): Promise<void> {
    return this.#inTurn(async () => {
      const [sessions, part] = await this.#database.snapshot(async (sql) => {
        const ids = await listViewSessions(sql, this.#limit);
        return [ids, await readViewPart(sql, ids)] as const;
      });
      for (const map of [this.rows, this.heads, this.approvals, this.inbox]) map.clear();
      this.#put(sessions, part);
      this.#forgotten = ++this.#lastChange;
    });
  }

  /** Resolves when a read that began after this call is in memory. */
  refresh(session: string): Promise<void> {
    this.#stale.add(session);
    this.#next ??= this.#inTurn(() => {
      this.#next = undefined;
      return this.#readStale();
    });
    return this.#next;
  }

  readClaims(): Promise<void> {
    return this.#inTurn(async () => {
      const claims = await readClaims(this.#database);
      this.claims = new Set(claims);
      for (const session of claims) if (!this.rows.has(session)) void this.refresh(session).catch(() => {});
    });
  }

  changedSessions(since: ChangeMark | undefined): { mark: ChangeMark; sessions: string[] } {
    const mark = { events: this.#lastChange, inbox: this.#lastChange };
    if (!since) return { mark, sessions: [] };
    if (since.events < this.#forgotten) return { mark, sessions: [...this.rows.keys()] };
    const changed = [...this.#changes].filter(([, change]) => change > since.events);
    return { mark, sessions: changed.map(([session]) => session) };
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const read = this.#reads.then(work);
    this.#reads = read.catch(() => {});
    return read;
  }

  async #readStale(): Promise<void> {
    const sessions = [...this.#stale];
    this.#stale.clear();
    try {
      const part = await this.#database.snapshot((sql) => readViewPart(sql, sessions));
      this.#put(sessions, part);
    } catch (error) {
      for (const session of sessions) this.#stale.add(session);
      throw error;
    }
    for (const session of sessions) {
      this.#changes.delete(session);
      this.#changes.set(session, ++this.#lastChange);
    }
    for (const [session, change] of this.#changes) {
      if (this.#changes.size <= MAX_CHANGES) break;
      this.#changes.delete(session);
      this.#forgotten = change;
    }
  }

  #put(sessions: readonly string[], { rows, approvals, inbox, heads, claims }: ViewPart): void {
    for (const session of sessions) {
      for (const map of [this.rows, this.heads, this.approvals, this.inbox]) map.delete(session);
    }
    for (const one of rows) {
      this.rows.set(one.row.id, one);
      this.heads.set(one.row.id, one.row.lastSeq);
    }
    for (const { session, seq } of heads) this.heads.set(session, seq);
    for (const row of approvals) add(this.approvals, row.session, row);
    for (const { session, command } of inbox) add(this.inbox, session, command);
    this.claims = new Set(claims);
    if (this.rows.size > this.#limit * 1.1) this.#evict(sessions);
  }

  /**
   * Removes the sessions without an event for the longest time, unless a process works on them or they need the user.
   *
   * @param asked Also not these: something asked for them.
   */
  #evict(asked: readonly string[]): void {
    const kept = new Set<string>(asked);
    for (const { row, ended } of this.rows.values()) {
      const { id } = row;
      const isKept =
        row.status === 'running' || ended || this.approvals.has(id) || this.inbox.has(id) || this.claims.has(id);
      if (!isKept) continue;
      for (let above: string | null | undefined = id; above != null && !kept.has(above);) {
        kept.add(above);
        above = this.rows.get(above)?.row.parent;
      }
    }
    for (const { id } of listRows(this.rows, { limit: -1 }).slice(this.#limit)) {
      if (kept.has(id)) continue;
      this.rows.delete(id);
      this.heads.delete(id);
    }
  }
}

function add<T>(map: Map<string, T[]>, session: string, value: T): void {
  const found = map.get(session);
  if (found) found.push(value);
  else map.set(session, [value]);
}

function toHead(seq: number | undefined): { seq: number } | undefined {
  return seq === undefined ? undefined : { seq };
}

function listApprovals(
  approvals: ReadonlyMap<string, readonly ApprovalRow[]>,
  session: string | undefined,
): ApprovalRow[] {
  const rows = session === undefined ? [...approvals.values()].flat() : (approvals.get(session) ?? []);
  return rows.toSorted((a, b) => compare([a.createdAt, a.id], [b.createdAt, b.id]));
}

const KEYS = {
  updated: (row: SessionRow) => row.updatedAt,
  created: (row: SessionRow) => row.createdAt,
  cost: (row: SessionRow) => row.costUsd ?? 0,
  title: (row: SessionRow) => toAsciiLower(row.title ?? ''),
} as const;

/** The rows as the query of the same name returns them. */
function listRows(rows: ReadonlyMap<string, ViewRow>, filter: Omit<SessionFilter, 'search'> = {}): SessionRow[] {
  const { sort = 'updated', order = 'desc', limit = 50, before, workspace, archived, model, since, until } = filter;
  const toKey = (row: SessionRow): [string | number, string] => [KEYS[sort](row), row.id];
  const sign = order === 'desc' ? -1 : 1;
  const last = before === undefined ? undefined : rows.get(before)?.row;
  if (before !== undefined && !last) return [];
  const found = [...rows.values()]
    .map(({ row }) => row)
    .filter(
      (row) =>
        (workspace === undefined || row.workspace === workspace) &&
        (archived === undefined || row.archived === archived) &&
        (model === undefined || row.model === model) &&
        (since === undefined || row.updatedAt >= since) &&
        (until === undefined || row.updatedAt < until) &&
        (!last || sign * compare(toKey(row), toKey(last)) > 0),
    )
    .toSorted((a, b) => sign * compare(toKey(a), toKey(b)));
  return limit < 0 ? found : found.slice(0, limit);
}

function compare(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [at, value] of a.entries()) {
    if (value < b[at]!) return -1;
    if (value > b[at]!) return 1;
  }
  return 0;
}
