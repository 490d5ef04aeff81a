const TICK_MS = 1_000;

const listeners = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

/**
 * Calls the listener once a second, for what no commit tells, such as whether a process still holds a session. All
 * listeners share one timer: each timer of its own would wake an idle server once more a second.
 *
 * @returns Ends it.
 */
export function onTick(listener: () => void): () => void {
  // Each call counts for itself, also where the same function is given twice.
  const own = (): void => listener();
  listeners.add(own);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, TICK_MS).unref();
  return () => {
    listeners.delete(own);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
