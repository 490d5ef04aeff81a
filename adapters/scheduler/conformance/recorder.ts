import { expect } from 'vitest';
import type { RunAttempt, RunOutcome, RunScheduler, RunSession, RunStatus } from '@klaus/core/agent';

type Step = RunOutcome | Error | ((attempt: RunAttempt) => Promise<RunOutcome>);

/** A run function that records its attempts and what happened at the same time. */
export interface Recorder {
  readonly run: RunSession;
  /** The session of each attempt, in order. */
  readonly sessions: string[];
  readonly attempts: RunAttempt[];
  /** Most attempts at the same time. */
  readonly most: number;
  /** Sessions that had two attempts at the same time. */
  readonly doubled: ReadonlySet<string>;
  /** Resolves when a session has had a number of attempts that ended. */
  readonly ended: (session: string, times: number) => Promise<void>;
  /** Resolves when a session has had a number of attempts that began. */
  readonly begun: (session: string, times: number) => Promise<void>;
}

/** @param steps What the attempts of each session do, in order. Default after the last: idle. */
export function createRecorder(steps: Readonly<Record<string, readonly Step[]>> = {}): Recorder {
  const sessions: string[] = [];
  const attempts: RunAttempt[] = [];
  const doubled = new Set<string>();
  const now = new Map<string, number>();
  const begun = createCounter();
  const ended = createCounter();
  let most = 0;
  const act = async (attempt: RunAttempt, step: Step | undefined): Promise<RunOutcome> => {
    if (step instanceof Error) throw step;
    return typeof step === 'function' ? await step(attempt) : (step ?? { state: 'idle' });
  };
  return {
    sessions,
    attempts,
    doubled,
    get most() {
      return most;
    },
    async run(attempt) {
      const { session } = attempt;
      const step = steps[session]?.[sessions.filter((id) => id === session).length];
      sessions.push(session);
      attempts.push(attempt);
      const same = (now.get(session) ?? 0) + 1;
      if (same > 1) doubled.add(session);
      now.set(session, same);
      most = Math.max(
        most,
        [...now.values()].reduce((a, b) => a + b, 0),
      );
      begun.add(session);
      try {
        return await act(attempt, step);
      } finally {
        now.set(session, now.get(session)! - 1);
        ended.add(session);
      }
    },
    begun: begun.reached,
    ended: ended.reached,
  };
}

function createCounter() {
  const counts = new Map<string, number>();
  const waits = new Set<() => void>();
  return {
    add(session: string): void {
      counts.set(session, (counts.get(session) ?? 0) + 1);
      for (const wait of waits) wait();
    },
    reached: (session: string, times: number): Promise<void> =>
      new Promise((resolve) => {
        const check = (): void => {
          if ((counts.get(session) ?? 0) < times) return;
          waits.delete(check);
          resolve();
        };
        waits.add(check);
        check();
      }),
  };
}

/** Waits until the scheduler reports a state of a session. */
export async function reaches(scheduler: RunScheduler, session: string, state: RunStatus['state']): Promise<void> {
  await expect.poll(async () => (await scheduler.status(session)).state, { timeout: 30_000 }).toBe(state);
}
