/** Who wants to be told something. */
export interface Listeners<T> {
  /** Returns what takes the listener away again. */
  add(listener: (value: T) => void): () => void;
  emit(value: T): void;
}

export function createListeners<T>(): Listeners<T> {
  const listeners = new Set<(value: T) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit(value) {
      for (const listener of listeners) listener(value);
    },
  };
}
