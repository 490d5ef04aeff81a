import type { ApprovalRow, Clock, StoreView } from '@klaus/core/agent';
import type { Database } from '../database.ts';
import { compare, listRows } from './list-rows.ts';
import { toViewAttention } from './view-attention.ts';
import { ViewMemory } from './view-memory.ts';

/** Default of {@link ViewOptions.sessions}. */
const SESSIONS = 10_000;
/** Milliseconds between two reads of what no notification reports. */
const TICK_MS = 1_000;

/**
 * A view in memory. It contains the sessions with the latest events, and regardless of their age those that run, that a
 * process holds, that need the user or have a command in their inbox, all sessions above these, and those that were loaded
 * last. Every other session is unknown here: `session` and `head` return undefined, and the lists do not have it. It is
 * loaded by `session` of the store, and by any change of it. There are no complete logs, and of questions only the open
 * ones.
 */
export type PostgresView = Omit<StoreView, 'events' | 'texts' | 'eventsOf' | 'hostEvents' | 'watch' | 'onUnreadable'>;

/** A view with what keeps it current. */
export interface LoadedView {
  readonly view: PostgresView;
  /**
   * Reads the state of a session again. Call it after a commit of this process and with each notification, before the
   * listeners. Calls during a read share the next one.
   */
  refresh(session: string): Promise<void>;
  /** The same for what the host chain says about the guard. Reads only the events after the last known one. */
  refreshGuard(): Promise<void>;
  /** Reads everything again. Call it after notifications may have been missed. */
  reload(): Promise<void>;
  /** Reads a session that is not in memory, and keeps it there until 1,000 others were loaded. */
  load(session: string): Promise<void>;
  close(): void;
}

export interface ViewOptions {
  clock: Pick<Clock, 'every'>;
  /** Idle sessions in memory, the latest. Default 10,000. */
  sessions?: number;
  /** Called with a session whose holder ended without a release: its last events may not be announced. */
  onAbandoned?: (session: string) => void;
}

/** Loads the view. */
export async function createView(database: Database, options: ViewOptions): Promise<LoadedView> {
  const memory = new ViewMemory(database, {
    limit: options.sessions ?? SESSIONS,
    onAbandoned: options.onAbandoned ?? (() => {}),
  });
  await memory.reload();
  const stop = options.clock.every(TICK_MS, () => memory.tick());
  return {
    view: {
      sessions: (filter) => listRows(memory.rows, filter),
      session: (id) => memory.rows.get(id)?.row,
      head: (session) => toHead(memory.heads.get(session)),
      approvals: ({ session }) => listApprovals(memory.approvals, session),
      attention: (filter) => toViewAttention(memory, filter),
      inbox: (session) => [...(memory.inbox.get(session) ?? [])],
      openChildren: (session) => [...(memory.children.get(session) ?? [])],
      guardChanges: () => [...memory.guard.changes],
      guardSeq: () => memory.guard.seq,
      isClaimed: (session) => memory.claims.has(session),
      changedSessions: (since) => memory.changedSessions(since),
    },
    refresh: (session) => memory.refresh(session),
    refreshGuard: () => memory.refreshGuard(),
    reload: () => memory.reload(),
    load: (session) => memory.load(session),
    close: stop,
  };
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
