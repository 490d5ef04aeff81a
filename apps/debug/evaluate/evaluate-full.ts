import { runInContext } from 'node:vm';
import { readClock, runBounded, TimeoutError } from './bounded.ts';
import type { ProcessGuard } from './process-guard.ts';
import type { Outcome, Realm } from './realm.ts';
import { splitCode } from './split-code.ts';

const later = setTimeout;
const immediately = setImmediate;

export interface FullOptions {
  realm: Realm;
  guard: ProcessGuard;
  timeoutMs: number;
  /** Stops the evaluation. */
  signal: AbortSignal;
}

/**
 * Runs code that may have effects. Every slice of it, the microtasks that it leaves behind included, runs under what is
 * left of the time: loops, recursion and promises that never settle end with `timeout`.
 */
export function evaluateFull(code: string, { realm, guard, timeoutMs, signal }: FullOptions): Promise<Outcome> {
  const { head, tail } = splitCode(code);
  const expression = tail === undefined ? code : `${head}\n;({ value: (${tail}\n) })`;
  const limit = readClock() + timeoutMs;
  const left = (): number => Math.max(1, Math.ceil(limit - readClock()));
  return new Promise((resolve) => {
    let pause = 0;
    let pending: ReturnType<Realm['start']> | undefined;
    const end = (outcome: Outcome): void => resolve(unwrap(outcome, tail !== undefined));
    // A turn of the event loop, not a microtask: only there the queues can be run under the limit.
    const step = (): void => {
      try {
        guard.slice(left(), () => {
          pending ??= realm.start(expression, { replMode: true, timeout: left() });
          runInContext('0', realm.context, { timeout: left() });
          // What the code left in the queue of the program.
          runBounded(guard.drain, left());
        });
      } catch (error) {
        return end(isTimeout(error) ? { kind: 'timeout' } : { kind: 'thrown', error });
      }
      if (pending!.done) return end(realm.toOutcome(pending!));
      if (signal.aborted || readClock() >= limit) return end({ kind: 'timeout' });
      // Short at first: most promises settle at once.
      pause = Math.min(20, pause + 1);
      later(step, Math.min(pause, left()));
    };
    immediately(step);
  });
}

function isTimeout(error: unknown): boolean {
  return error instanceof TimeoutError || (error as { code?: string } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function unwrap(outcome: Outcome, hasValue: boolean): Outcome {
  if (outcome.kind !== 'value') return outcome;
  return hasValue
    ? { kind: 'value', value: (outcome.value as { value: unknown }).value }
    : { kind: 'value', value: undefined };
}
