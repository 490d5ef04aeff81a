import { useState } from 'react';

const saved = new Map<string, unknown>();

/** A state that outlives its component, so that rows keep it while they are scrolled out of view. */
export function useSavedState<T>(key: string, first: T): [value: T, set: (value: T) => void] {
  const [value, setValue] = useState<T>(() => (saved.has(key) ? (saved.get(key) as T) : first));
  return [
    value,
    (next) => {
      saved.set(key, next);
      setValue(next);
    },
  ];
}
