import type { Clock } from '@klaus/core/agent';
import { toNearest } from '@klaus/core/protocol';
import type { EventOf, EventType, HostEvent, HostEventOf, HostEventType } from '@klaus/core/protocol';
import { findApproval, listApprovals } from '../projections/approval-row.ts';
import type { ApprovalFilter, ApprovalRow } from '../projections/approval-row.ts';
import { audit, verifySession } from '../log/audit.ts';
import type { AuditOptions, AuditReport } from '../log/audit.ts';
import type { Blobs } from '../log/blobs.ts';
import type { ChainReport } from '../log/chain.ts';
import { clearSessions } from '../log/clear-sessions.ts';
import type { ClearFilter, ClearReport } from '../log/clear-sessions.ts';
import type { Database } from '../database.ts';
import { changedSessions } from '../log/changed-sessions.ts';
import type { ChangeMark } from '../log/changed-sessions.ts';
import { readDecisions } from './decisions.ts';
import type { DecisionFilter, DecisionRow } from './decisions.ts';
import { isLocked, toLockFile } from '../locks/file-lock.ts';
import { readHostEvents, readLastHostEvent } from '../log/host-chain.ts';
import type { HostFilter, Redact } from '../log/host-chain.ts';
import { readFence } from '../log/log.ts';
import { rebuildProjections } from '../projections/projections.ts';
import type { ProjectionOptions } from '../projections/projections.ts';
import { forgetRemembered, listRemembered } from './remembered.ts';
import type { RememberedRow } from './remembered.ts';
import { searchMessages } from './search-messages.ts';
import type { MessageHit } from './search-messages.ts';
import { findLatestSession, findSession, listSessions } from '../projections/session-row.ts';
import type { SessionFilter, SessionRow } from '../projections/session-row.ts';
import { readStats } from './stats.ts';
import type { StoreStats } from './stats.ts';
import { readEventsOf, readLastOf, readOpenRequests, readTree, readUsage } from './usage.ts';
import type { UsageFilter, UsageRow } from './usage.ts';

/** Newest sessions among which a misspelt one is looked for. */
const NEAREST_AMONG = 1_000;

/** What the doors ask of the store, beyond the port. Answers hold what every process has committed. */
export interface Queries {
  /** The one with the newest event first. */
  sessions(filter?: SessionFilter): SessionRow[];
  /** @throws KlausError `usage` for a prefix of several ids. */
  session(idOrPrefix: string): SessionRow | undefined;
  /** Id of the session whose id or title is nearest to the text, for "did you mean". */
  nearestSession(text: string): string | undefined;
  /** The newest one of a workspace (absolute real path) that can go on. */
  latestSession(workspace: string): SessionRow | undefined;
  /** True while a live process holds the session. */
  isClaimed(session: string): boolean;
  /** Fence of the session's newest claim; 0 when it was never claimed. */
  fenceOf(session: string): number;
  /** Oldest first. */
  approvals(filter?: ApprovalFilter): ApprovalRow[];
  /** @throws KlausError `usage` for a prefix of several ids. */
  approval(idOrPrefix: string): ApprovalRow | undefined;
  /** The sessions that any process wrote to, or sent to, since a mark; without one only the mark of now. */
  changedSessions(since?: ChangeMark): { mark: ChangeMark; sessions: string[] };
  /** Messages of all sessions in which every word stands, the best first. Words are letters and digits alone. */
  searchMessages(query: { words: readonly string[]; limit: number }): MessageHit[];
  stats(): StoreStats;
  /** What requests to models cost. */
  usage(filter: UsageFilter): UsageRow[];
  /** Requests whose end is not in the log: on their way, or sent by a process that is gone. */
  openRequests(): EventOf<'turn.started' | 'model.requested'>[];
  /** The session and all that it began, and those began, itself first. */
  tree(session: string): string[];
  /** Events of some types of a session, in order. */
  eventsOf<T extends EventType>(session: string, types: readonly T[]): EventOf<T>[];
  /** The last event of some types of a session, found from its end. */
  lastOf<T extends EventType>(session: string, types: readonly T[]): EventOf<T> | undefined;
  clearSessions(filter?: ClearFilter): ClearReport;
  /** Walks the session's chain, and asks the host chain where it should end. */
  verify(session: string): ChainReport;
  /** Walks the host chain and those of the sessions. */
  audit(options?: AuditOptions): AuditReport;
  /** Events of the host chain in order. */
  hostEvents(filter?: HostFilter): Iterable<HostEvent>;
  /** The newest host event of one type about one session or workspace. */
  lastHostEvent<T extends HostEventType>(type: T, subject: string): HostEventOf<T> | undefined;
  /** What the gate decided, over all sessions, in the order in which it was written. */
  decisions(filter?: DecisionFilter): Iterable<DecisionRow>;
  /** Approvals that hold for longer than their session, the newest last. */
  remembered(filter?: { workspace?: string; agent?: string }): RememberedRow[];
  /** False when there is no such one, or more than one. */
  forget(idOrPrefix: string, by: string): boolean;
  /** Folds the projections again from the log. Returns the number of events. */
  rebuild(): number;
}

export function createQueries(
  database: Database,
  options: {
    home: string;
    blobs: Blobs;
    clock: Pick<Clock, 'now'>;
    projection: ProjectionOptions;
    redact?: Redact | undefined;
  },
): Queries {
  const { home, blobs, clock, projection, redact } = options;
  return {
    sessions: (filter) => listSessions(database, filter),
    session: (idOrPrefix) => findSession(database, idOrPrefix),
    nearestSession(text) {
      const rows = listSessions(database, { limit: NEAREST_AMONG });
      const names = rows.flatMap(({ id, title }) => (title === null ? [id] : [id, title]));
      const nearest = text === '' ? undefined : toNearest(text, names, { isBeginning: true });
      return rows.find(({ id, title }) => id === nearest || title === nearest)?.id;
    },
    latestSession: (workspace) => findLatestSession(database, workspace),
    isClaimed: (session) => isLocked(toLockFile(home, session)),
    fenceOf: (session) => readFence(database, session),
    approvals: (filter) => listApprovals(database, filter),
    approval: (idOrPrefix) => findApproval(database, idOrPrefix),
    changedSessions: (since) => changedSessions(database, since),
    searchMessages: (query) => searchMessages(database, query),
    stats: () => readStats(database, blobs),
    usage: (filter) => readUsage(database, filter),
    openRequests: () => readOpenRequests(database),
    tree: (session) => readTree(database, session),
    eventsOf: (session, types) => readEventsOf(database, session, types),
    lastOf: (session, types) => readLastOf(database, session, types),
    clearSessions: (filter = {}) => clearSessions(database, { home, blobs, filter, now: clock.now(), redact }),
    verify: (session) => verifySession(database, session),
    audit: (given) => audit(database, given),
    hostEvents: (filter) => readHostEvents(database, filter),
    lastHostEvent: (type, subject) => readLastHostEvent(database, type, subject),
    decisions: (filter) => readDecisions(database, filter),
    remembered: (filter) => listRemembered(database, filter),
    forget: (idOrPrefix, by) =>
      database.transaction(() => forgetRemembered(database, idOrPrefix, { by, at: clock.now() })),
    rebuild: () => rebuildProjections(database, projection),
  };
}
