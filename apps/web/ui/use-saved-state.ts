import { useEffect, useState } from 'react';

const saved = new Map<string, unknown>();
const listeners = new Map<string, Set<(value: unknown) => void>>();

/** Sets a saved state from outside of its component, which may not be mounted. */
export function saveState(key: string, value: unknown): void {
  saved.set(key, value);
  for (const listener of listeners.get(key) ?? []) listener(value);
}

/** A state that outlives its component, so that rows keep it while they are scrolled out of view. */
export function useSavedState<T>(key: string, first: T): [value: T, set: (value: T) => void] {
  const [value, setValue] = useState<T>(() => (saved.has(key) ? (saved.get(key) as T) : first));
  useEffect(() => {
    const listener = (next: unknown) => setValue(next as T);
    const own = listeners.get(key) ?? new Set();
    listeners.set(key, own.add(listener));
    return () => {
      own.delete(listener);
      if (own.size === 0) listeners.delete(key);
    };
  }, [key]);
  return [value, (next) => saveState(key, next)];
}
