import type { ChangeMark, Clock, StoreQueries, StoreView } from '@klaus/core/agent';
import { toNearest, type Event, type HostEventOf } from '@klaus/core/protocol';
import { audit, verifySession } from '../log/audit.ts';
import type { Blobs } from '../log/blobs.ts';
import { clearSessions } from '../log/clear-sessions.ts';
import type { ChangeNotifier } from '../log/change-notifier.ts';
import type { GroupCommit } from '../log/group-commit.ts';
import { appendHostRecord, readGuardSeq, readHostEvents, readLastHostEvent } from '../log/host-chain.ts';
import type { Redact } from '../../shared/host-record.ts';
import { readReadableInbox } from '../log/inbox.ts';
import { readEvents, readFence, readHead, readTexts } from '../log/log.ts';
import { NO_HEAD } from '../log/record.ts';
import type { Database } from '../database.ts';
import { toLockFile } from '../locks/file-lock.ts';
import { probeLock } from '../locks/probe-lock.ts';
import { toOpenChildren } from '../../shared/open-children.ts';
import { findApproval, listApprovals } from '../projections/approval-row.ts';
import type { ProjectionOptions } from '../../shared/projection-options.ts';
import { rebuildProjections } from '../projections/projections.ts';
import { findLatestSession, findSession, listSessions, readAgentUses } from '../projections/session-row.ts';
import { claimNotification, isUnseen, putSeen, readAttention } from './attention.ts';
import { readDecisions } from './decisions.ts';
import { forgetRemembered, listRemembered } from './remembered.ts';
import { searchMessages } from './search-messages.ts';
import { readStats } from './stats.ts';
import { readTree } from './read-tree.ts';
import { readEventsOf, readLastOf, readOpenRequests, readUsage } from './read-usage.ts';

/** Newest sessions that are compared with a misspelt one. */
const NEAREST_AMONG = 1_000;

export interface QueryOptions {
  home: string;
  blobs: Blobs;
  commits: GroupCommit;
  notifier: ChangeNotifier;
  clock: Pick<Clock, 'now'>;
  projection: ProjectionOptions;
  redact?: Redact;
}

export function createQueries(database: Database, options: QueryOptions): StoreQueries {
  const { home, blobs, commits, notifier, clock, projection, redact } = options;
  return {
    sessions: async (filter) => listSessions(database, filter),
    session: async (idOrPrefix) => findSession(database, idOrPrefix),
    async nearestSession(text) {
      const rows = listSessions(database, { limit: NEAREST_AMONG });
      const names = rows.flatMap(({ id, title }) => (title === null ? [id] : [id, title]));
      const nearest = text === '' ? undefined : toNearest(text, names, { isBeginning: true });
      return rows.find(({ id, title }) => id === nearest || title === nearest)?.id;
    },
    latestSession: async (workspace) => findLatestSession(database, workspace),
    agentUses: async () => readAgentUses(database),
    tree: async (session) => readTree(database, session),
    head: async (session) => readHead(database, session),
    isClaimed: async (session) => probeLock(toLockFile(home, session)),
    fenceOf: async (session) => readFence(database, session),
    searchMessages: async (query) => searchMessages(database, query),
    approvals: async (filter) => listApprovals(database, filter),
    approval: async (idOrPrefix) => findApproval(database, idOrPrefix),
    attention: async (filter) => readAttention(database, (session) => probeLock(toLockFile(home, session)), filter),
    async markSeen(seen) {
      if (!isUnseen(database, seen)) return;
      await commits.run(
        () => putSeen(database, { ...seen, at: clock.now() }),
        () => notifier.touched(),
      );
    },
    claimNotification: (item) => commits.run(() => claimNotification(database, item, clock.now())),
    remembered: async (filter) => listRemembered(database, filter),
    forget: async (idOrPrefix, by) =>
      database.transaction(() => forgetRemembered(database, idOrPrefix, { by, at: clock.now() })),
    usage: async (filter) => readUsage(database, filter),
    openRequests: async () => readOpenRequests(database),
    eventsOf: async (session, types) => readEventsOf(database, session, types),
    lastOf: async (session, types) => readLastOf(database, session, types),
    texts: (session, after = 0) => readTexts(database, session, after),
    decisions: (filter) => toAsync(readDecisions(database, filter)),
    verify: async (session) => verifySession(database, session),
    audit: async (given) => audit(database, given),
    hostEvents: (filter) => toAsync(readHostEvents(database, filter)),
    lastHostEvent: async (type, subject) => readLastHostEvent(database, type, subject),
    recordExport: (session, { format, by }) =>
      commits.run(() => {
        const { seq: records, hash: head } = readHead(database, session) ?? NO_HEAD;
        const body = { type: 'session.exported' as const, session, records, head, format, by };
        appendHostRecord(database, { body, at: clock.now(), redact });
      }),
    stats: async () => readStats(database, blobs),
    clearSessions: async (filter = {}) => clearSessions(database, { home, blobs, filter, now: clock.now(), redact }),
    rebuild: async () => rebuildProjections(database, projection),
  };
}

/** A view that also reads logs without waiting, because they are in a file of this machine. */
export interface SqliteView extends StoreView {
  /** Events after `after` (default 0) in order. @throws KlausError `store.corrupt`. */
  events(session: string, after?: number): Iterable<Event>;
}

export function createView(
  database: Database,
  { home, notifier }: { home: string; notifier: ChangeNotifier },
): SqliteView {
  return {
    sessions: (filter) => listSessions(database, filter),
    session(id) {
      const row = findSession(database, id);
      return row?.id === id ? row : undefined;
    },
    head: (session) => readHead(database, session),
    approvals: (filter) => listApprovals(database, filter),
    attention: (filter) => readAttention(database, (session) => probeLock(toLockFile(home, session)), filter),
    inbox: (session) => readReadableInbox(database, session),
    openChildren: (session) => toOpenChildren(readEventsOf(database, session, ['child.opened', 'child.closed'])),
    guardChanges: () => [...readHostEvents(database, { type: 'guard.changed' })] as HostEventOf<'guard.changed'>[],
    guardSeq: () => readGuardSeq(database),
    isClaimed: (session) => probeLock(toLockFile(home, session)),
    changedSessions: (since) => changedSessions(database, since),
    events: (session, after = 0) => readEvents(database, session, after),
    watch: (notice) => notifier.watch(notice),
    onUnreadable: (listener) => notifier.onUnreadable(listener),
  };
}

/** The sessions with new events or commands since a mark, and the new mark. */
function changedSessions(database: Database, since: ChangeMark | undefined): { mark: ChangeMark; sessions: string[] } {
  const mark = {
    events: database.get<{ id: number | null }>('SELECT max(id) AS id FROM events')?.id ?? 0,
    inbox: database.get<{ id: number | null }>('SELECT max(id) AS id FROM inbox')?.id ?? 0,
  };
  if (!since) return { mark, sessions: [] };
  const rows = database.all<{ id: string }>(
    `SELECT DISTINCT session_id AS id FROM events WHERE id > ?
      UNION SELECT DISTINCT session_id FROM inbox WHERE id > ?`,
    since.events,
    since.inbox,
  );
  return { mark, sessions: rows.map(({ id }) => id) };
}

async function* toAsync<T>(rows: Iterable<T>): AsyncGenerator<T, void, undefined> {
  yield* rows;
}
