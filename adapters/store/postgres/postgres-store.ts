import type { Clock, SessionStore, StoreView } from '@klaus/core/agent';
import type { EventOf } from '@klaus/core/protocol';
import type { BlobStore } from '../shared/blob-store.ts';
import { createFolderBlobStore } from '../shared/blob-store.ts';
import type { Redact } from '../shared/host-record.ts';
import { DEFAULT_RESULT_SIZE } from '../shared/projection-options.ts';
import { NO_HEAD } from '../sqlite/log/record.ts';
import type { DatabaseOptions } from './database.ts';
import { isConnectionLost } from './database-error.ts';
import { audit, verifySession } from './log/audit.ts';
import { clearSessions } from './log/clear-sessions.ts';
import { appendHostRecords } from './log/host-chain.ts';
import { readHostEvents, readLastHostEvent } from './log/host-events.ts';
import { readHead } from './log/log.ts';
import { openLogStore, type LogStore } from './log-store.ts';
import type { Change } from './notify/change.ts';
import type { InheritedCache } from './projections/inherited.ts';
import { projectEvents, projectPlainEvents } from './projections/project-events.ts';
import { createKnowledge } from './queries/knowledge.ts';
import { createQueries } from './queries/queries.ts';
import { findSession } from './queries/sessions.ts';
import { readWorkspaceStates, type StateEventType } from './queries/workspace-states.ts';
import { createRecall } from './recall/recall.ts';
import { createTenants, type Tenants } from './tenants/tenants.ts';
import { createAdministration, type Administration } from './administration/administration.ts';
import type { SessionTransfer } from '../transfer/session-transfer.ts';
import { createTransfer } from './transfer/session-transfer.ts';
import { createWakes, type Wakes } from './wakes/wakes.ts';
import { createView, type LoadedView, type PostgresView } from './view/view.ts';

export type { WaitingSession } from './wakes/wakes.ts';
export type { StoredRules, TenantRow, TenantRules, Tenants } from './tenants/tenants.ts';

export interface PostgresStoreOptions extends DatabaseOptions {
  /** Absolute path of the state folder of this process, for blobs. Required without `blobs`. */
  home?: string;
  /** Where blobs are stored. All processes of one database must share it. Default: files in `home`. */
  blobs?: BlobStore;
  /** Default: the machine's clock. */
  clock?: Pick<Clock, 'now' | 'every'>;
  /** Characters of a tool's output that the `messages` and `tool_calls` tables hold. Default 10,240. */
  maxToolResultSize?: number;
  /** Redacts secrets before a write to the host chain. Default: no redaction. */
  redact?: Redact;
  /** Milliseconds in which a write is tried again over new connections. Default 10,000. */
  retryMs?: number;
  /** Idle sessions that the view keeps, the latest. Default 10,000. */
  viewSessions?: number;
}

/** A store of several machines without a view, for a process that works on sessions and lists none. */
export interface PostgresWorkerStore extends Omit<SessionStore, 'view'> {
  readonly wakes: Wakes;
  readonly tenants: Tenants;
  readonly transfer: SessionTransfer;
  /** The last events that name the state of a workspace, of all its sessions, the newest first. Forks: without their copies. */
  workspaceStates(workspace: string, limit: number): Promise<EventOf<StateEventType>[]>;
  readonly administration: Administration;
}

/**
 * A store of several machines. Its view has no complete logs, and not every idle session. A session that `session` finds is
 * then in the view.
 */
export interface PostgresStore extends PostgresWorkerStore {
  readonly view: PostgresView & Pick<StoreView, 'watch' | 'onUnreadable'>;
}

const MACHINE_CLOCK: Pick<Clock, 'now' | 'every'> = {
  now: () => Date.now(),
  every(ms, tick) {
    const timer = setInterval(tick, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

/**
 * Connects to the store, and creates or updates its schema. Each commit of any process updates the view.
 *
 * @throws KlausError `store.busy` when Postgres cannot be reached, `config` when it refuses, `store.corrupt`.
 */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  let loaded: LoadedView | undefined;
  /** Changes during the first read of the view, by session: it may not include them. */
  const early = new Map<string | undefined, Change | undefined>();
  const { log, store } = await openStore({ ...options, receivesLive: true }, async (change) => {
    if (loaded) await applyChange(loaded, change);
    else early.set(change?.session, change);
  });
  try {
    const view = await createView(log.database, {
      clock: options.clock ?? MACHINE_CLOCK,
      sessions: options.viewSessions,
      onAbandoned: (session) => log.notifier.missed(session),
    });
    loaded = view;
    await Promise.all([...early.values()].map((change) => applyChange(view, change)));
  } catch (error) {
    loaded?.close();
    await log.close();
    throw error;
  }
  return {
    ...store,
    async session(idOrPrefix) {
      const row = await store.session(idOrPrefix);
      if (row) await ignoreLost(loaded?.load(row.id));
      return row;
    },
    view: {
      ...loaded.view,
      watch: (notice) => log.notifier.watch(notice),
      onUnreadable: (listener) => log.notifier.onUnreadable(listener),
    },
    async close() {
      loaded?.close();
      await log.close();
    },
  };
}

/**
 * The same without a view, which saves a read for each commit of any process. Its listeners for in-flight text get that of
 * this process only.
 */
export async function createPostgresWorkerStore(options: PostgresStoreOptions): Promise<PostgresWorkerStore> {
  return (await openStore({ ...options, receivesLive: false }, async () => {})).store;
}

async function openStore(
  options: PostgresStoreOptions & { receivesLive: boolean },
  apply: (change: Change | undefined) => Promise<void>,
): Promise<{ log: LogStore; store: PostgresWorkerStore }> {
  const { clock = MACHINE_CLOCK, redact } = options;
  const blobs = options.blobs ?? createFolderBlobStore(options.home!);
  const inherited: InheritedCache = new Map();
  const projection = { maxToolResultSize: options.maxToolResultSize ?? DEFAULT_RESULT_SIZE, inherited };
  const log = await openLogStore({
    ...options,
    clock,
    blobs,
    redact,
    inherited,
    project: (sql, events) => projectEvents(sql, events, projection),
    projectPlain: (events) => projectPlainEvents(events, projection),
    readRow: findSession,
    apply,
  });
  const { database } = log;
  const store: PostgresWorkerStore = {
    ...log,
    knowledge: (workspace) => createKnowledge(database, { workspace, clock }),
    wakes: createWakes(database),
    tenants: createTenants(database, () => log.holder()),
    recall: (session) => createRecall(database, { session, readBlob: (hash) => blobs.read(hash) }),
    ...createQueries(database, {
      clock,
      projection,
      appendHost: (sql, event) => appendHostRecords(sql, [event], redact),
      touched: (session) => log.touched(session),
      countBlobs: () => countBlobs(blobs),
    }),
    ...createLogQueries(log, { clock, blobs, redact }),
    administration: createAdministration(database, {
      holder: () => log.holder(),
      projection,
      touched: (session) => log.touched(session),
    }),
    transfer: createTransfer(database, { clock, projection, touched: (session) => log.touched(session) }),
    workspaceStates: (workspace, limit) => readWorkspaceStates(database, workspace, limit),
  };
  return { log, store };
}

type LogQueries = Pick<
  SessionStore,
  'verify' | 'audit' | 'hostEvents' | 'lastHostEvent' | 'recordExport' | 'clearSessions'
>;

function createLogQueries(
  log: LogStore,
  { clock, blobs, redact }: { clock: Pick<Clock, 'now'>; blobs: BlobStore; redact: Redact | undefined },
): LogQueries {
  const { database, leases } = log;
  return {
    verify: (session) => verifySession(database, session),
    audit: (given) => audit(database, given),
    hostEvents: (filter) => readHostEvents(database, filter),
    lastHostEvent: (type, subject) => readLastHostEvent(database, type, subject),
    async recordExport(session, { format, by }) {
      const { seq: records, hash: head } = (await readHead(database, session)) ?? NO_HEAD;
      await log.appendHost({ type: 'session.exported', session, records, head, format, by });
    },
    async clearSessions(filter = {}) {
      const report = await clearSessions(database, { leases, blobs, filter, now: clock.now(), redact });
      for (const session of report.cleared) await log.touched(session);
      return report;
    },
  };
}

function applyChange(loaded: LoadedView, change: Change | undefined): Promise<void> {
  if (!change) return ignoreLost(loaded.reload());
  return ignoreLost(change.session === '' ? loaded.refreshGuard() : loaded.refresh(change.session));
}

/** Waits for a read of the view. One that failed because of a lost connection is repeated later. */
async function ignoreLost(read: Promise<void> | undefined): Promise<void> {
  try {
    await read;
  } catch (error) {
    if (!isConnectionLost(error)) throw error;
  }
}

async function countBlobs(blobs: BlobStore): Promise<{ count: number; bytes: number }> {
  const found = { count: 0, bytes: 0 };
  for await (const { hash, size } of blobs.list()) {
    if (hash === '') continue;
    found.count += 1;
    found.bytes += size;
  }
  return found;
}

export type { Administration, RunProblem } from './administration/administration.ts';
export type { ActiveSession, IdleSession } from './administration/session-facts.ts';
export type { WorkerFacts, WorkerRow } from './administration/workers.ts';
