import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const never = () => () => undefined;

/** The time in Unix milliseconds, updated every second while `isWanted`. */
export function useNow(isWanted = true): number {
  return useSyncExternalStore(isWanted ? subscribe : never, () => now);
}
