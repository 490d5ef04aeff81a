import type { Command, EventOf, EventType, HostEvent, HostEventOf, HostEventType } from '../../protocol/index.ts';
import type { ApprovalFilter, ApprovalRow, RememberedRow } from './rows/approval-row.ts';
import type { AuditOptions, AuditReport, ChainReport, DecisionFilter, DecisionRow, HostFilter } from './audit.ts';
import type { Knowledge } from './memory.ts';
import type { Outbox } from './outbox.ts';
import type { Recall } from './recall.ts';
import type {
  AttentionFilter,
  AttentionList,
  ClearFilter,
  ClearReport,
  MessageHit,
  SessionFilter,
  SessionRow,
  SessionSeen,
} from './rows/session-row.ts';
import type { Store } from './store.ts';
import type { StoreStats, UsageFilter, UsageRow } from './rows/usage-row.ts';

/** What the SDK and the doors ask of a store, in addition to the log. Answers include the commits of all processes. */
export interface StoreQueries {
  /** By default the session with the newest event first. */
  sessions(filter?: SessionFilter): Promise<SessionRow[]>;
  /** @throws KlausError `usage` for a prefix of several ids. */
  session(idOrPrefix: string): Promise<SessionRow | undefined>;
  /** Id of the session whose id or title is nearest to the text, for "did you mean". */
  nearestSession(text: string): Promise<string | undefined>;
  /** The newest session of a workspace (absolute real path) that can take another prompt. */
  latestSession(workspace: string): Promise<SessionRow | undefined>;
  /** When each agent was last used, by its name, in ISO 8601: the latest `updatedAt` of its sessions. */
  agentUses(): Promise<ReadonlyMap<string, string>>;
  /** The session and its descendants, the session itself first. */
  tree(session: string): Promise<string[]>;
  /** Seq and hash of a session's last record; undefined without one. */
  head(session: string): Promise<{ seq: number; hash: string } | undefined>;
  /** True while a live process holds the session. */
  isClaimed(session: string): Promise<boolean>;
  /** Fence of the session's newest claim; 0 if it was never claimed. */
  fenceOf(session: string): Promise<number>;
  /** Messages of all sessions that contain every word, the best first. Words consist of letters and digits. */
  searchMessages(query: { words: readonly string[]; limit: number }): Promise<MessageHit[]>;
  /** Oldest first. */
  approvals(filter?: ApprovalFilter): Promise<ApprovalRow[]>;
  /** @throws KlausError `usage` for a prefix of several ids. */
  approval(idOrPrefix: string): Promise<ApprovalRow | undefined>;
  /** The sessions that need the user, over all workspaces. */
  attention(filter?: AttentionFilter): Promise<AttentionList>;
  /** Records that a user interface showed a session up to an event. An earlier event than before changes nothing. */
  markSeen(seen: SessionSeen): Promise<void>;
  /**
   * Decides which process notifies the user of something: true for the first caller only, on this machine.
   *
   * @param item Id of an {@link AttentionItem}.
   */
  claimNotification(item: string): Promise<boolean>;
  /** Approvals that remain valid after their session, the newest last. */
  remembered(filter?: { workspace?: string; agent?: string }): Promise<RememberedRow[]>;
  /** False when no approval matches, or more than one. */
  forget(idOrPrefix: string, by: string): Promise<boolean>;
  /** The cost of requests to models. */
  usage(filter: UsageFilter): Promise<UsageRow[]>;
  /** Requests without an end in the log: in flight, or sent by a process that ended. */
  openRequests(): Promise<EventOf<'turn.started' | 'model.requested'>[]>;
  /** Events of some types of a session, in order. */
  eventsOf<T extends EventType>(session: string, types: readonly T[]): Promise<EventOf<T>[]>;
  /** Events after `after` (default 0) as JSON texts, each on one line, in order. @throws KlausError `store.corrupt`. */
  texts(session: string, after?: number): AsyncIterable<{ seq: number; text: string }>;
  /** The last event of some types of a session, found from its end. */
  lastOf<T extends EventType>(session: string, types: readonly T[]): Promise<EventOf<T> | undefined>;
  /** Decisions of the gate over all sessions, in the order in which they were written. */
  decisions(filter?: DecisionFilter): AsyncIterable<DecisionRow>;
  /** Verifies the session's chain against the host chain. */
  verify(session: string): Promise<ChainReport>;
  /** Verifies the host chain and the chains of the sessions. */
  audit(options?: AuditOptions): Promise<AuditReport>;
  /** Events of the host chain in order, or with `before` the newest first. */
  hostEvents(filter?: HostFilter): AsyncIterable<HostEvent>;
  /** The newest host event of one type about one session, workspace or person. */
  lastHostEvent<T extends HostEventType>(type: T, subject: string): Promise<HostEventOf<T> | undefined>;
  /** Records in the host chain that a session is exported; durable: call it before. @param options.by A door. */
  recordExport(session: string, options: { format: string; by: string }): Promise<void>;
  stats(): Promise<StoreStats>;
  clearSessions(filter?: ClearFilter): Promise<ClearReport>;
  /** Folds the projections again from the log. Returns the number of events. */
  rebuild(): Promise<number>;
}

/** A position in the changes of all sessions. */
export interface ChangeMark {
  events: number;
  inbox: number;
}

/**
 * A view of the sessions that answers without waiting, for a program that follows many of them at once. It includes at
 * least everything that this process was notified of: a store over a network keeps it in memory and updates it with its
 * notifications.
 */
export interface StoreView {
  /** By default the session with the newest event first. */
  sessions(filter?: Omit<SessionFilter, 'search'>): SessionRow[];
  /**
   * Undefined also for an idle session that is not in memory; `session` of the store loads it.
   *
   * @param id The full id.
   */
  session(id: string): SessionRow | undefined;
  /** Seq of a session's last event; undefined without one. */
  head(session: string): { seq: number } | undefined;
  /** Open questions, the oldest first. */
  approvals(filter: ApprovalFilter & { open: true }): ApprovalRow[];
  /** The sessions that need the user, over all workspaces. */
  attention(filter?: AttentionFilter): AttentionList;
  /** Commands that are not consumed yet, in order of arrival, without those that this version cannot read. */
  inbox(session: string): Command[];
  /** Ids of the open child sessions of a session, in the order in which they were opened. */
  openChildren(session: string): string[];
  /** The events of the host chain about installations of the guard, in order. */
  guardChanges(): HostEventOf<'guard.changed'>[];
  /** Seq in the host chain of the last event about the guard (`guard.decided`, `guard.changed`); 0 without one. */
  guardSeq(): number;
  /** True while a live process holds the session. */
  isClaimed(session: string): boolean;
  /** The sessions that any process appended or sent to since a mark; without one only the present mark. */
  changedSessions(since?: ChangeMark): { mark: ChangeMark; sessions: string[] };
  /** Ids of the open child sessions of a session, in the order in which they were opened. */
  openChildren(session: string): string[];
  /** The events of the host chain about installations of the guard, in order. */
  guardChanges(): HostEventOf<'guard.changed'>[];
  /** Seq in the host chain of the last event about the guard (`guard.decided`, `guard.changed`); 0 without one. */
  guardSeq(): number;
  /** Calls `notice` soon after any process appended or sent anything. */
  watch(notice: () => void): () => void;
  /**
   * Calls `listener` when a log with subscribers cannot be read; its subscriptions then end. Without a listener the
   * error is thrown and ends the process.
   */
  onUnreadable(listener: (session: string, error: unknown) => void): () => void;
}

/** A complete store: the log, its queries, and what is stored in addition to the log. */
export interface SessionStore extends Store, StoreQueries {
  /** Notifications about appended events, for another program. */
  readonly outbox: Outbox;
  /** What is remembered about a workspace (absolute real path). */
  knowledge(workspace: string): Knowledge;
  /** Full-text search in a session's log. */
  recall(session: string): Recall;
  /** Commits pending writes, releases all leases, and closes. Idempotent. */
  close(): Promise<void>;
}

/** A store with a view, for a program that follows many sessions. */
export interface ViewedStore extends SessionStore {
  readonly view: StoreView;
}
