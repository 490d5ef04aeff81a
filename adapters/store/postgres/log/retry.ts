import { setTimeout as delay } from 'node:timers/promises';
import { isConnectionLost } from '../database-error.ts';

const FIRST_DELAY_MS = 20;
const LONGEST_DELAY_MS = 1_000;

/**
 * Repeats `work` over a new connection as long as connections are lost, with a growing delay, up to a time limit. Only for
 * work that has its effect once, however often it runs.
 *
 * @param work `attempt` counts from 0.
 */
export async function retryLost<T>(work: (attempt: number) => Promise<T>, limitMs: number): Promise<T> {
  const end = performance.now() + limitMs;
  for (let attempt = 0; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      const wait = Math.min(FIRST_DELAY_MS * 2 ** attempt, LONGEST_DELAY_MS);
      if (performance.now() + wait > end) throw error;
      await delay(wait);
    }
  }
}
