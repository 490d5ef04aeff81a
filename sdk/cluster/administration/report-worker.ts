import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Administration } from '@klaus/adapters/postgres-store';
import { VERSION } from '../../version.ts';

export interface WorkerReport {
  /** Reports the last state, and that the worker ended. */
  end(): Promise<void>;
}

export interface WorkerReportOptions {
  /** See {@link createWorkerId}. */
  id: string;
  administration: Pick<Administration, 'beat' | 'remove'>;
  slots: number;
  /** URL of the health of the worker. */
  health: string | null;
  /** The sessions that it runs. */
  sessions: () => readonly string[];
  isDraining: () => boolean;
  /** Called once, when an administrator asks the worker to drain. */
  onDrain: () => void;
  /** Called when an administrator asks the worker to give a session back. */
  onRelease: (session: string) => void;
  /** Called when Postgres cannot be reached. The next report tries again. */
  onError: (error: unknown) => void;
}

/** Milliseconds between two reports. */
const REPORT_MS = 1_500;

/** An id of a process that is no other's, such as `w-3f9a61c2`. */
export function createWorkerId(): string {
  return `w-${randomUUID().slice(0, 8)}`;
}

/** Reports a worker in Postgres, and does what administrators ask of it, until it ends. */
export async function reportWorker(options: WorkerReportOptions): Promise<WorkerReport> {
  const { id, administration, slots, health, sessions, isDraining, onDrain, onRelease, onError } = options;
  const fixed = { id, host: hostname(), pid: process.pid, version: VERSION, health, slots };
  let isAsked = false;
  let current: Promise<void> | undefined;
  const beat = async (): Promise<void> => {
    try {
      const running = sessions();
      const facts = { ...fixed, running: running.length, draining: isDraining() };
      const asked = await administration.beat(facts, running);
      for (const session of asked.release) onRelease(session);
      if (asked.drain && !isAsked) {
        isAsked = true;
        onDrain();
      }
    } catch (error) {
      onError(error);
    }
  };
  const tick = (): void => void (current ??= beat().finally(() => (current = undefined)));
  tick();
  await current;
  const timer = setInterval(tick, REPORT_MS).unref();
  return {
    async end() {
      clearInterval(timer);
      await current;
      await administration.remove(id).catch(onError);
    },
  };
}
