import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionState, SessionStates } from '@klaus/sdk/session-states';

/** Milliseconds between two looks at the sessions. */
const POLL_MS = 100;

/** True if no work is left, or none can be done. */
export function hasEnded({ state, problem }: SessionState): boolean {
  return ['done', 'failed', 'idle'].includes(state) || (problem !== null && state !== 'running');
}

/** Starts the daemon if the work on one of the sessions continues only there. @throws CliError as `ensureDaemon`. */
export async function continueWork(sessions: readonly SessionState[]): Promise<void> {
  const needsDaemon = ({ state, isServed, problem }: SessionState): boolean =>
    problem === null && isServed && (state === 'queued' || state === 'interrupted');
  if (!sessions.some(needsDaemon)) return;
  const { ensureDaemon } = await import('../daemon/ensure-daemon.ts');
  await ensureDaemon();
}

/**
 * Waits for a commit of any process. The end of a process is none, so it also returns after a second.
 *
 * @param given.version Of the last look. @param given.until Unix milliseconds. Default: never.
 * @returns The version at the end.
 */
export async function untilChange(
  states: SessionStates,
  { version, until = Infinity, signal }: { version: number | undefined; until?: number; signal?: AbortSignal },
): Promise<number> {
  const latest = Math.min(until, Date.now() + 10 * POLL_MS);
  for (;;) {
    const now = states.version();
    if (now !== version || Date.now() >= latest || signal?.aborted) return now;
    await sleep(Math.min(POLL_MS, Math.max(1, latest - Date.now())));
  }
}
