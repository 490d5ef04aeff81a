import {
  createPostgresWorkerStore,
  type ActiveSession,
  type Administration,
  type PostgresWorkerStore,
} from '@klaus/adapters/postgres-store';
import { toHome } from '../../config/home.ts';
import { loadConfiguration } from '../../config/load-configuration.ts';
import { checkSet, nameSettings } from '../cluster-services.ts';
import { keepAlive } from '../keep-alive.ts';
import { judgeSession, SESSION_STATES, type JudgedSession, type SessionState } from './judge-session.ts';

/** A session with its state. */
export interface ListedSession extends JudgedSession {
  id: string;
  /** Absolute path. */
  workspace: string;
  title: string | null;
  /** Worker that holds it; null where no live process does. */
  worker: string | null;
  /** Milliseconds since its last change. */
  idleMs: number;
  /** Milliseconds since its oldest waiting command arrived; null without one. */
  waitingMs: number | null;
  /** Why it could not run; null if it could. */
  problem: ActiveSession['problem'];
  /** Where it runs; null if it runs here. */
  place: string | null;
}

export interface SessionList {
  /** All sessions by their state. */
  counts: Record<SessionState, number>;
  /** Sessions of the wanted state: those that are not idle first, the latest first. */
  sessions: ListedSession[];
}

/** The administration of the cluster that the settings name. */
export interface OpenedAdministration extends AsyncDisposable {
  readonly administration: Administration;
  readonly store: PostgresWorkerStore;
  /** @param filter.limit Sessions at most. */
  list(filter: { state?: SessionState | undefined; stuckMs: number; limit: number }): Promise<SessionList>;
}

/**
 * Connects to Postgres alone.
 *
 * @throws KlausError `config` for a missing setting, or when Postgres refuses; `store.busy` when it cannot be reached.
 */
export async function openAdministration(
  options: { home?: string; env?: Readonly<Record<string, string | undefined>> } = {},
): Promise<OpenedAdministration> {
  const env = options.env ?? process.env;
  const cwd = process.cwd();
  const home = toHome(env, cwd, options.home);
  const configuration = await loadConfiguration({ env, home, cwd });
  checkSet(configuration, ['cluster.postgresUrl']);
  const alive = keepAlive();
  const store = await createPostgresWorkerStore({ url: configuration.get('cluster.postgresUrl')!, home }).catch(
    (error: unknown) => {
      alive[Symbol.dispose]();
      throw nameSettings('database', error);
    },
  );
  const { administration } = store;
  return {
    administration,
    store,
    list: (filter) => list(administration, filter),
    async [Symbol.asyncDispose]() {
      await store.close();
      alive[Symbol.dispose]();
    },
  };
}

async function list(
  administration: Administration,
  { state, stuckMs, limit }: { state?: SessionState; stuckMs: number; limit: number },
): Promise<SessionList> {
  const [active, all] = [await administration.active(), await administration.count()];
  const counts = Object.fromEntries(SESSION_STATES.map((each) => [each, 0])) as Record<SessionState, number>;
  const sessions: ListedSession[] = [];
  for (const facts of active) {
    const judged = judgeSession(facts, stuckMs);
    counts[judged.state] += 1;
    const { id, workspace, title, worker, idleMs, waitingMs, problem, move } = facts;
    const row = { id, workspace, title, worker, idleMs, waitingMs, problem, place: move?.place ?? null };
    if (state === undefined || judged.state === state) sessions.push({ ...row, ...judged });
  }
  // A session can start between both reads.
  counts.idle += Math.max(0, all - active.length);
  if ((state === undefined || state === 'idle') && sessions.length < limit) {
    const none = { worker: null, waitingMs: null, problem: null, place: null, reason: null, state: 'idle' as const };
    for (const row of await administration.idle(limit - sessions.length)) sessions.push({ ...row, ...none });
  }
  return { counts, sessions: sessions.slice(0, limit) };
}
