import type { ApprovalRow, ChangeMark } from '@klaus/core/agent';
import type { Command } from '@klaus/core/protocol';
import { toOpenChildren } from '../../shared/open-children.ts';
import type { Database } from '../database.ts';
import { listRows } from './list-rows.ts';
import { NO_GUARD, readGuard, type ViewGuard } from './view-guard.ts';
import {
  listViewSessions,
  readAbandonedClaims,
  readClaims,
  readViewPart,
  type ViewPart,
  type ViewRow,
} from './view-part.ts';

/** Changed sessions that marks distinguish. */
const MAX_CHANGES = 10_000;
/** Sessions that stay in memory because they were asked for. */
const MAX_ASKED = 1_000;

/** The state of the sessions that a view keeps, read again when they change. */
export class ViewMemory {
  readonly rows = new Map<string, ViewRow>();
  readonly heads = new Map<string, number>();
  readonly approvals = new Map<string, ApprovalRow[]>();
  readonly inbox = new Map<string, Command[]>();
  /** Ids of the open child sessions, in the order in which they were opened. */
  readonly children = new Map<string, string[]>();
  guard: ViewGuard = NO_GUARD;
  claims: ReadonlySet<string> = new Set();
  readonly #database: Database;
  readonly #limit: number;
  readonly #onAbandoned: (session: string) => void;
  /** Sessions whose holder ended without a release, with the fence of its claim. */
  #abandoned: ReadonlyMap<string, number> = new Map();
  /** Number of the last change of each session, the latest last. */
  readonly #changes = new Map<string, number>();
  #lastChange = 0;
  /** Changes up to this one are not known by session. */
  #forgotten = 0;
  readonly #stale = new Set<string>();
  #isGuardStale = false;
  /** Sessions that were asked for, the latest last. */
  readonly #asked = new Set<string>();
  /** Reads follow each other, so that an older state never replaces a newer one. */
  #reads: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #nextGuard: Promise<void> | undefined;

  /** @param options.onAbandoned Called with a session whose last events may not be announced. */
  constructor(database: Database, options: { limit: number; onAbandoned: (session: string) => void }) {
    this.#database = database;
    this.#limit = options.limit;
    this.#onAbandoned = options.onAbandoned;
  }

  reload(): Promise<void> {
    return this.#inTurn(async () => {
      const { sessions, part, guard } = await this.#database.snapshot(async (sql) => {
        const ids = [...new Set([...(await listViewSessions(sql, this.#limit)), ...this.#asked])];
        return { sessions: ids, part: await readViewPart(sql, ids), guard: await readGuard(sql, NO_GUARD) };
      });
      for (const map of this.#maps) map.clear();
      this.#put(sessions, part);
      this.guard = guard;
      this.#forgotten = ++this.#lastChange;
    });
  }

  /** Resolves when a read that began after this call is in memory. */
  refresh(session: string): Promise<void> {
    this.#stale.add(session);
    return this.#readSoon();
  }

  /** The same for what the host chain says about the guard, read from its later events only. */
  refreshGuard(): Promise<void> {
    this.#isGuardStale = true;
    this.#nextGuard ??= this.#inTurn(async () => {
      this.#nextGuard = undefined;
      this.guard = await this.#database.snapshot((sql) => readGuard(sql, this.guard));
      this.#isGuardStale = this.#nextGuard !== undefined;
    });
    return this.#nextGuard;
  }

  /** Resolves when a session is in memory, if it exists. It stays there while others are asked for less recently. */
  async load(session: string): Promise<void> {
    this.#asked.delete(session);
    this.#asked.add(session);
    for (const oldest of this.#asked) {
      if (this.#asked.size <= MAX_ASKED) break;
      this.#asked.delete(oldest);
    }
    if (!this.rows.has(session)) await this.refresh(session);
  }

  /** Reads what no notification reports: the claims and the last events of killed processes. Repeats reads that failed. */
  tick(): void {
    // An error is a lost connection: the next tick or reload succeeds.
    const ignore = (): void => {};
    void this.#readClaims().catch(ignore);
    if (this.#stale.size > 0) void this.#readSoon().catch(ignore);
    if (this.#isGuardStale) void this.refreshGuard().catch(ignore);
  }

  #readClaims(): Promise<void> {
    return this.#inTurn(async () => {
      const [claims, abandoned] = await Promise.all([readClaims(this.#database), readAbandonedClaims(this.#database)]);
      this.claims = new Set(claims);
      for (const session of claims) if (!this.rows.has(session)) void this.refresh(session).catch(() => {});
      const known = this.#abandoned;
      this.#abandoned = new Map(abandoned.map(({ session, fence }) => [session, fence]));
      for (const { session, fence } of abandoned) if (known.get(session) !== fence) this.#onAbandoned(session);
    });
  }

  changedSessions(since: ChangeMark | undefined): { mark: ChangeMark; sessions: string[] } {
    const mark = { events: this.#lastChange, inbox: this.#lastChange };
    if (!since) return { mark, sessions: [] };
    if (since.events < this.#forgotten) return { mark, sessions: [...this.rows.keys()] };
    const changed = [...this.#changes].filter(([, change]) => change > since.events);
    return { mark, sessions: changed.map(([session]) => session) };
  }

  get #maps(): Map<string, unknown>[] {
    return [this.rows, this.heads, this.approvals, this.inbox, this.children];
  }

  #readSoon(): Promise<void> {
    this.#next ??= this.#inTurn(() => {
      this.#next = undefined;
      return this.#readStale();
    });
    return this.#next;
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

  #put(sessions: readonly string[], { rows, approvals, inbox, heads, claims, children }: ViewPart): void {
    for (const session of sessions) for (const map of this.#maps) map.delete(session);
    for (const one of rows) {
      this.rows.set(one.row.id, one);
      this.heads.set(one.row.id, one.row.lastSeq);
    }
    for (const { session, seq } of heads) this.heads.set(session, seq);
    for (const row of approvals) add(this.approvals, row.session, row);
    for (const { session, command } of inbox) add(this.inbox, session, command);
    for (const [session, facts] of Map.groupBy(children, (fact) => fact.session)) {
      const open = toOpenChildren(facts);
      if (open.length > 0) this.children.set(session, open);
    }
    this.claims = new Set(claims);
    if (this.rows.size > this.#limit * 1.1) this.#evict(sessions);
  }

  /**
   * Removes the sessions without an event for the longest time, unless a process works on them or they need the user.
   *
   * @param asked Also not these: something asked for them.
   */
  #evict(asked: readonly string[]): void {
    const kept = new Set<string>([...asked, ...this.#asked]);
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
      for (const map of this.#maps) map.delete(id);
    }
  }
}

function add<T>(map: Map<string, T[]>, session: string, value: T): void {
  const found = map.get(session);
  if (found) found.push(value);
  else map.set(session, [value]);
}
