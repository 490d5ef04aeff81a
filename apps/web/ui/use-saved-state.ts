import { useState } from 'react';

const kept = new Map<string, unknown>();

/** A state that outlives its component: what is scrolled out of sight comes back as it was. */
export function useSavedState<T>(key: string, first: T): [value: T, set: (value: T) => void] {
  const [value, setValue] = useState<T>(() => (kept.has(key) ? (kept.get(key) as T) : first));
  return [
    value,
    (next) => {
      kept.set(key, next);
      setValue(next);
    },
  ];
}
