import { runInContext } from 'node:vm';
import { keepAsyncStack } from './async-stack.ts';
import { readClock, runBounded, TimeoutError } from '../inspector/bounded.ts';
import { THIS } from './evaluate-checked.ts';
import type { ProcessGuard } from './process-guard.ts';
import type { Outcome, Realm } from './realm.ts';
import { findDeclared, splitCode } from './split-code.ts';

const later = setTimeout;
const immediately = setImmediate;

export interface FullOptions {
  realm: Realm;
  guard: ProcessGuard;
  timeoutMs: number;
  /** Stops the evaluation. */
  signal: AbortSignal;
}

/** What the code leaves in its realm. Only code of the realm writes it. */
interface Box {
  state: 'pending' | 'fulfilled' | 'rejected';
  value?: unknown;
  names: Record<string, unknown>;
  error?: unknown;
}

const START = `(run) => {
  const box = { state: 'pending', names: {} };
  const fail = (error) => { box.error = error; box.state = 'rejected'; };
  try {
    run().then((result) => {
      box.value = result?.value;
      for (const [name, value] of Object.entries(result?.names ?? {})) box.names[name] = value;
      box.state = 'fulfilled';
    }).catch(fail);
  } catch (error) { fail(error); }
  return box;
}`;

/**
 * Runs code that may have effects. Every slice of it, the microtasks that it leaves behind included, runs under what is
 * left of the time: loops, recursion and promises that never settle end with `timeout`.
 */
export function evaluateFull(code: string, { realm, guard, timeoutMs, signal }: FullOptions): Promise<Outcome> {
  const { context, names } = realm;
  const start = toStart(code);
  const limit = readClock() + timeoutMs;
  const left = (): number => Math.max(1, Math.ceil(limit - readClock()));
  return new Promise((resolve) => {
    let pause = 0;
    let box: Box | undefined;
    // A turn of the event loop, not a microtask: only there the queues can be run under the limit.
    const step = (): void => {
      try {
        guard.slice(() => {
          box ??= runInContext(start, context, { timeout: left() }) as Box;
          runInContext('0', context, { timeout: left() });
          // What the code left in the queue of the program.
          runBounded(() => guard.drain(), left());
        });
      } catch (error) {
        return resolve(isTimeout(error) ? { kind: 'timeout' } : { kind: 'thrown', error });
      }
      if (box!.state === 'rejected') return resolve({ kind: 'thrown', error: box!.error });
      if (box!.state === 'fulfilled') {
        for (const [name, value] of Object.entries(box!.names)) if (value !== undefined) names[name] = value;
        return resolve({ kind: 'value', value: box!.value });
      }
      if (signal.aborted || readClock() >= limit) return resolve({ kind: 'timeout' });
      // Short at first: most promises settle at once.
      pause = Math.min(20, pause + 1);
      later(turn, Math.min(pause, left()));
    };
    const turn = (): void => keepAsyncStack(step);
    immediately(turn);
  });
}

/** The code as an asynchronous function that returns its last value and what it declares. */
function toStart(code: string): string {
  const { head, tail } = splitCode(code);
  const declared = findDeclared(head).map((name) => `${name}: typeof ${name} === 'undefined' ? undefined : ${name}`);
  const value = tail === undefined ? 'undefined' : `(${tail}\n)`;
  const body = `${head}\n;return { value: ${value}, names: { ${declared.join(', ')} } };`;
  return `(${START})((async function () {${body}}).bind(typeof ${THIS} === 'undefined' ? undefined : ${THIS}))`;
}

function isTimeout(error: unknown): boolean {
  if (error instanceof TimeoutError) return true;
  const found =
    typeof error === 'object' && error !== null ? Reflect.getOwnPropertyDescriptor(error, 'code') : undefined;
  return found?.value === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
