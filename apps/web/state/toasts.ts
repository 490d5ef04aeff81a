import { createStore } from './store.ts';

/** A short word at the edge of the page, with at most one thing to do about it. */
export interface Toast {
  id: number;
  kind: 'info' | 'error';
  text: string;
  /** What can be done about it, in a sentence. */
  detail?: string | undefined;
  action?: { label: string; run: () => void };
  /** Milliseconds after which it goes; an error stays until it is closed. */
  lastsMs?: number;
}

export const toasts = createStore<readonly Toast[]>([]);

let last = 0;

/** @returns Takes it away. */
export function showToast(toast: Omit<Toast, 'id'>): () => void {
  last += 1;
  const id = last;
  const close = () => toasts.set(toasts.get().filter((it) => it.id !== id));
  toasts.set([...toasts.get().slice(-3), { ...toast, id }]);
  if (toast.lastsMs !== undefined) setTimeout(close, toast.lastsMs);
  return close;
}
