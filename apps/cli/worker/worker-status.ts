import { setTimeout as delay } from 'node:timers/promises';

export interface WorkerHealth {
  /** `unreachable`: Postgres does not answer. Only a ready worker takes sessions. */
  state: 'ready' | 'draining' | 'unreachable';
  slots: number;
  /** Sessions that run here now. */
  running: number;
  draining: boolean;
}

/** Milliseconds that Postgres may take to answer. */
const PING_MS = 2_000;
/** Milliseconds for which an answer counts, so that requests cannot flood the database. */
const KNOWN_MS = 1_000;

/** What a worker reports of itself. */
export interface WorkerStatus {
  /** Sessions that run here now. */
  running(): number;
  read(): Promise<WorkerHealth>;
  /** Counts the sessions of this worker from now on. */
  follow(worker: { readonly running: number }): void;
  /** It takes no more sessions. */
  drain(): void;
}

/** @param options.ping Asks the database for anything; rejects when it cannot be reached. */
export function createWorkerStatus({ slots, ping }: { slots: number; ping: () => Promise<unknown> }): WorkerStatus {
  let worker: { readonly running: number } | undefined;
  let draining = false;
  let last: { at: number; answers: Promise<boolean> } | undefined;
  const isReachable = (): Promise<boolean> => {
    if (!last || Date.now() - last.at >= KNOWN_MS) last = { at: Date.now(), answers: answersInTime(ping) };
    return last.answers;
  };
  const running = (): number => worker?.running ?? 0;
  return {
    running,
    follow: (followed) => void (worker = followed),
    async read() {
      const isConnected = await isReachable();
      const state = draining ? 'draining' : isConnected ? 'ready' : 'unreachable';
      return { state, slots, running: running(), draining };
    },
    drain() {
      draining = true;
    },
  };
}

async function answersInTime(ping: () => Promise<unknown>): Promise<boolean> {
  const answer = ping().then(
    () => true,
    () => false,
  );
  return await Promise.race([answer, delay(PING_MS, false, { ref: false })]);
}
