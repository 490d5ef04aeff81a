/** Who wants to be told something. */
export interface Listeners<T> {
  /** Returns what takes the listener away again. */
  add(listener: (value: T) => void): () => void;
  tell(value: T): void;
}

export function createListeners<T>(): Listeners<T> {
  const listeners = new Set<(value: T) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell(value) {
      for (const listener of listeners) listener(value);
    },
  };
}
