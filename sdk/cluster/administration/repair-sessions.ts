import type { RunScheduler } from '@klaus/core/agent';
import type { PostgresWorkerStore } from '@klaus/adapters/postgres-store';
import { findRoot } from '../find-root.ts';
import { judgeSession } from './judge-session.ts';

/** What a repair found of one session, and changed. */
export interface RepairedSession {
  session: string;
  /** `damaged`: its log is, and was not changed. `rebuilt`: its projections or its cached state were folded again. */
  log: 'intact' | 'rebuilt' | 'damaged';
  /** One sentence for what is not intact; null otherwise. */
  message: string | null;
  /** True if it was woken. */
  woken: boolean;
  /** Unix milliseconds of its timer that was set again; null without one. */
  timer: number | null;
}

export interface RepairReport {
  /** Sessions in which something was found or changed. */
  sessions: RepairedSession[];
  /** Sessions that were examined. */
  examined: number;
  /** One sentence for what is wrong with the host chain; null for an intact one. It is not changed. */
  host: string | null;
}

export interface RepairOptions {
  store: Pick<PostgresWorkerStore, 'audit' | 'verify' | 'session' | 'approvals' | 'administration' | 'tree' | 'wakes'>;
  scheduler: Pick<RunScheduler, 'wake' | 'at'>;
  /** Ids. Default: all sessions. */
  sessions?: readonly string[];
  /** True: only reports. Default false. */
  dryRun?: boolean;
}

/**
 * Verifies logs, folds projections again that differ from their logs, wakes what has something to do, and sets the timers
 * of approvals. A damaged log is reported and never changed.
 */
export async function repairSessions(options: RepairOptions): Promise<RepairReport> {
  const { store, scheduler, sessions, dryRun = false } = options;
  const found = new Map<string, RepairedSession>();
  const of = (session: string): RepairedSession => {
    const row = found.get(session) ?? { session, log: 'intact', message: null, woken: false, timer: null };
    found.set(session, row);
    return row;
  };
  const audits = sessions
    ? await Promise.all(sessions.map((session) => store.audit({ session })))
    : [await store.audit()];
  for (const { session, report } of audits.flatMap((audit) => audit.sessions)) {
    if (report.intact) continue;
    // A chain that is damaged ends before the reported record; a projection or a cached state has all of them.
    const isDerived = report.seq <= report.records;
    const row = Object.assign(of(session), { log: isDerived ? 'rebuilt' : 'damaged', message: report.message });
    if (isDerived && !dryRun) await rebuild(store, row);
  }
  for (const session of await retrySessions({ store, scheduler, sessions, dryRun })) of(session).woken = true;
  const wanted = await findTrees(store, sessions);
  for (const { session, expiresAt } of await store.approvals({ open: true })) {
    if (wanted && !wanted.has(session)) continue;
    const root = await findRoot(store, session);
    if (!dryRun) await scheduler.at(root, expiresAt);
    const row = of(root);
    row.timer = Math.min(row.timer ?? Infinity, expiresAt);
  }
  return {
    sessions: [...found.values()],
    examined: sessions?.length ?? audits[0]!.sessions.length,
    host: audits.map(({ host }) => (host.intact ? null : host.message)).find((text) => text !== null) ?? null,
  };
}

/**
 * Wakes sessions now that have something to do and that no worker runs: those that a sweep would wake later, such as after
 * a failure of a service. Returns the ids of those that the user opened.
 */
export async function retrySessions({
  store,
  scheduler,
  sessions,
  dryRun = false,
}: Omit<RepairOptions, 'store' | 'scheduler'> & {
  store: Pick<PostgresWorkerStore, 'session' | 'administration' | 'tree' | 'wakes'>;
  scheduler: Pick<RunScheduler, 'wake'>;
}): Promise<string[]> {
  const wanted = await findTrees(store, sessions);
  const roots = new Set<string>();
  for (const facts of await store.administration.active()) {
    if (wanted && !wanted.has(facts.id)) continue;
    const { state } = judgeSession(facts, 0);
    if (state === 'stuck' && !facts.move) roots.add(await findRoot(store, facts.id));
  }
  if (dryRun) return [...roots];
  // If it fails again, the sweep begins with short waits.
  await store.wakes.forget([...roots]);
  for (const session of roots) await scheduler.wake(session, 'sweep');
  return [...roots];
}

/** Sessions with those below them; undefined for all. */
async function findTrees(
  store: Pick<PostgresWorkerStore, 'tree'>,
  sessions: readonly string[] | undefined,
): Promise<ReadonlySet<string> | undefined> {
  return sessions && new Set((await Promise.all(sessions.map((session) => store.tree(session)))).flat());
}

/** Damage that a fold does not repair is that of the log. */
async function rebuild(store: RepairOptions['store'], row: RepairedSession): Promise<void> {
  await store.administration.rebuild(row.session);
  const [after] = (await store.audit({ session: row.session })).sessions;
  if (after && !after.report.intact) Object.assign(row, { log: 'damaged', message: after.report.message });
}
