const TICK_MS = 1_000;

const listeners = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

/**
 * Calls the listener once a second, for changes that are not commits, such as the end of a process that holds a session.
 * All listeners share one timer, so that an idle server wakes once a second.
 *
 * @returns Removes the listener.
 */
export function everySecond(listener: () => void): () => void {
  // A function that is passed twice is called twice.
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
