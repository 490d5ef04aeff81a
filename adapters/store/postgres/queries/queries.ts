import type { Clock, StoreQueries } from '@klaus/core/agent';
import type { HostEventBody } from '@klaus/core/protocol';
import type { Database, Sql } from '../database.ts';
import type { PostgresProjectionOptions } from '../projections/project-events.ts';
import { readTexts } from '../log/log.ts';
import { rebuildProjections } from '../projections/rebuild-projections.ts';
import { findApproval, listApprovals } from './approvals.ts';
import { claimNotification, putSeen, readAttention } from './attention.ts';
import { readDecisions } from './decisions.ts';
import { readEventsOf, readLastOf } from './events.ts';
import { deleteRemembered, listRemembered } from './remembered.ts';
import { searchMessages } from './search-messages.ts';
import { findLatestSession, findNearestSession, findSession, listSessions, readAgentUses } from './sessions.ts';
import { readStats } from './stats.ts';
import { readTree } from './tree.ts';
import { readOpenRequests, readUsage } from './usage.ts';

/** The queries of the log and of the host chain, which belong to the part that writes them. */
export type LogQueries = Pick<
  StoreQueries,
  'verify' | 'audit' | 'hostEvents' | 'lastHostEvent' | 'recordExport' | 'clearSessions'
>;

export interface QueryOptions {
  clock: Pick<Clock, 'now'>;
  projection: PostgresProjectionOptions;
  /** Appends to the host chain, in the transaction of `sql`. */
  appendHost: (sql: Sql, event: { body: HostEventBody; at: number }) => Promise<unknown>;
  /** Called after a commit that changes what lists show of a session. */
  touched: (session: string) => Promise<void> | void;
  /** What the store of blobs contains. */
  countBlobs: () => Promise<{ count: number; bytes: number }>;
}

export function createQueries(database: Database, options: QueryOptions): Omit<StoreQueries, keyof LogQueries> {
  const { clock, projection, appendHost, touched, countBlobs } = options;
  return {
    sessions: (filter) => listSessions(database, filter),
    session: (idOrPrefix) => findSession(database, idOrPrefix),
    nearestSession: (text) => findNearestSession(database, text),
    latestSession: (workspace) => findLatestSession(database, workspace),
    agentUses: () => readAgentUses(database),
    tree: (session) => readTree(database, session),
    head: (session) =>
      database.get<{ seq: number; hash: string }>('SELECT seq, hash FROM heads WHERE session_id = $1', [session]),
    async isClaimed(session) {
      return (await database.get('SELECT 1 FROM live_leases WHERE session_id = $1', [session])) !== undefined;
    },
    async fenceOf(session) {
      const text = 'SELECT fence FROM heads WHERE session_id = $1';
      return (await database.get<{ fence: number }>(text, [session]))?.fence ?? 0;
    },
    searchMessages: (query) => searchMessages(database, query),
    approvals: (filter) => listApprovals(database, filter),
    approval: (idOrPrefix) => findApproval(database, idOrPrefix),
    attention: (filter) => database.snapshot((sql) => readAttention(sql, filter)),
    async markSeen(seen) {
      if (await putSeen(database, { ...seen, at: clock.now() })) await touched(seen.session);
    },
    claimNotification: (item) => database.transaction((sql) => claimNotification(sql, item, clock.now())),
    remembered: (filter) => listRemembered(database, filter),
    forget: (idOrPrefix, by) =>
      database.transaction(async (sql) => {
        const found = await deleteRemembered(sql, idOrPrefix);
        if (!found) return false;
        await appendHost(sql, { body: { type: 'approval.forgotten', ...found, by }, at: clock.now() });
        return true;
      }),
    usage: (filter) => readUsage(database, filter),
    openRequests: () => readOpenRequests(database),
    eventsOf: (session, types) => readEventsOf(database, session, types),
    lastOf: (session, types) => readLastOf(database, session, types),
    texts: (session, after = 0) => readTexts(database, session, after),
    decisions: (filter) => readDecisions(database, filter),
    stats: async () => readStats(database, await countBlobs()),
    rebuild: () => rebuildProjections(database, projection),
  };
}
