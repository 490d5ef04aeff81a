import { createStore } from './store.ts';

export interface Toast {
  id: number;
  kind: 'info' | 'error';
  text: string;
  detail?: string;
  action?: { label: string; run: () => void };
  /** Milliseconds until it closes. Paused while it is hovered or focused. Default: it stays until it is closed. */
  lastsMs?: number;
  /** True if it also closes while hovered or focused, because its action has expired. */
  isDue?: boolean;
}

export const toasts = createStore<readonly Toast[]>([]);

let last = 0;

/** @returns Closes it. */
export function showToast(toast: Omit<Toast, 'id'>): () => void {
  last += 1;
  const id = last;
  toasts.set([...toasts.get().slice(-3), { ...toast, id }]);
  return () => closeToast(id);
}

export function closeToast(id: number): void {
  toasts.set(toasts.get().filter((it) => it.id !== id));
}
