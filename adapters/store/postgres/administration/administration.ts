import { headOf } from '@klaus/core/cut-text';
import type { Database } from '../database.ts';
import { listActive, listIdle, countSessions, type ActiveSession, type IdleSession } from './session-facts.ts';
import { requestRelease, takeReleases } from './releases.ts';
import { rebuildSession } from '../projections/rebuild-session.ts';
import type { PostgresProjectionOptions } from '../projections/project-events.ts';
import { beat, listWorkers, removeWorker, requestDrain, type WorkerFacts, type WorkerRow } from './workers.ts';

/** Why a session could not run. */
export interface RunProblem {
  /** Id of the worker. */
  worker: string;
  code: string;
  message: string;
  /** What the user can do. */
  hint?: string;
}

/** What an administrator, and the workers themselves, see and change of a cluster. */
export interface Administration {
  /** Reports a worker as alive, and returns what it is asked. @param running The sessions that it runs. */
  beat(worker: WorkerFacts, running: readonly string[]): Promise<{ drain: boolean; release: string[] }>;
  /** Removes a worker that ended. */
  remove(worker: string): Promise<void>;
  /** Workers by their start, also those that were killed since less than an hour. */
  workers(): Promise<WorkerRow[]>;
  /** Asks a worker to end its runs after their current steps, and then itself. False if it does not exist or is not alive. */
  drain(worker: string): Promise<boolean>;
  /**
   * Asks the worker that holds a session, or one below it, to give it back after the current step.
   *
   * @returns Id of the worker; undefined if no live process holds the session.
   */
  release(session: string): Promise<string | undefined>;
  /** Replaces the earlier problem of the session. */
  reportProblem(session: string, problem: RunProblem): Promise<void>;
  /** Sessions that are not idle, with what decides about their state. */
  active(): Promise<ActiveSession[]>;
  /** Other sessions, the latest first. */
  idle(limit: number): Promise<IdleSession[]>;
  /** All sessions. */
  count(): Promise<number>;
  /**
   * Folds the projections of a session again from its log, and drops its cached state. Appends to it wait.
   *
   * @returns The number of events.
   */
  rebuild(session: string): Promise<number>;
}

/** @param options.touched Reports a change of a session to all processes. */
export function createAdministration(
  database: Database,
  {
    holder,
    projection,
    touched,
  }: {
    holder: () => number;
    projection: PostgresProjectionOptions;
    touched: (session: string) => Promise<void>;
  },
): Administration {
  return {
    async beat(worker, running) {
      const { drain } = await beat(database, { ...worker, holder: holder() });
      return { drain, release: await takeReleases(database, { holder: holder(), running }) };
    },
    remove: (worker) => removeWorker(database, worker),
    workers: () => listWorkers(database),
    drain: (worker) => requestDrain(database, worker),
    release: (session) => requestRelease(database, session),
    async reportProblem(session, { worker, code, message, hint }) {
      await database.run(
        `INSERT INTO run_problems (session_id, worker, code, message, hint) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (session_id) DO UPDATE SET worker = excluded.worker, code = excluded.code,
           message = excluded.message, hint = excluded.hint, at = clock_timestamp()`,
        [session, worker, code, toStored(message), hint === undefined ? null : toStored(hint)],
      );
    },
    active: () => database.snapshot((sql) => listActive(sql)),
    idle: (limit) => listIdle(database, limit),
    count: () => countSessions(database),
    async rebuild(session) {
      const events = await database.transaction((sql) => rebuildSession(sql, session, projection));
      await touched(session);
      return events;
    },
  };
}

/** Characters of a message. */
const MAX_MESSAGE = 1_000;

function toStored(message: string): string {
  return headOf(message, MAX_MESSAGE).replaceAll('\0', '');
}
