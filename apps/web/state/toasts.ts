import { createStore } from './store.ts';

/** A short word at the edge of the page, with at most one thing to do about it. */
export interface Toast {
  id: number;
  kind: 'info' | 'error';
  text: string;
  /** What can be done about it, in a sentence. */
  detail?: string | undefined;
  action?: { label: string; run: () => void };
  /** Milliseconds after which it goes, unless somebody is at it; an error stays until it is closed. */
  lastsMs?: number;
  /** It goes even so: what it offers is over then. */
  isDue?: boolean;
}

export const toasts = createStore<readonly Toast[]>([]);

let last = 0;

/** @returns Takes it away. */
export function showToast(toast: Omit<Toast, 'id'>): () => void {
  last += 1;
  const id = last;
  toasts.set([...toasts.get().slice(-3), { ...toast, id }]);
  return () => closeToast(id);
}

export function closeToast(id: number): void {
  toasts.set(toasts.get().filter((it) => it.id !== id));
}
