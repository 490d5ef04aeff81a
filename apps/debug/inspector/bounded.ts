import { createContext, Script } from 'node:vm';

const SLOT = 'run';
const names: { [SLOT]?: () => void } = Object.create(null) as object;
let context: ReturnType<typeof createContext> | undefined;
let script: Script | undefined;
const now = performance.now.bind(performance);

/** The time passed: what ran was stopped. */
export class TimeoutError extends Error {
  override name = 'TimeoutError';
  constructor(timeoutMs: number) {
    super(`The evaluation was stopped after ${timeoutMs} ms.`);
  }
}

/**
 * Runs a function of this process and stops it after `ms`, wherever it is: V8 ends its execution.
 *
 * @throws What the function throws; {@link TimeoutError} if it was stopped.
 */
export function runBounded<T>(run: () => T, ms: number): T {
  context ??= createContext(names);
  script ??= new Script(`${SLOT}()`);
  let result: { value: T } | undefined;
  let failure: { error: unknown } | undefined;
  names[SLOT] = () => {
    try {
      result = { value: run() };
    } catch (error) {
      failure = { error };
    }
  };
  try {
    script.runInContext(context, { timeout: Math.max(1, Math.ceil(ms)) });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new TimeoutError(Math.ceil(ms));
    throw error;
  }
  if (failure) throw failure.error;
  return result!.value;
}

/** Milliseconds from a clock that evaluated code cannot replace. */
export function readClock(): number {
  return now();
}
