import { createStore } from './store.ts';

export interface Toast {
  id: number;
  kind: 'info' | 'error';
  text: string;
  detail?: string;
  action?: { label: string; run: () => void };
  /** Milliseconds until it closes. Paused while it is hovered or focused. Default: 15 s for an error; others stay until they are closed. */
  lastsMs?: number;
  /** True if it also closes while hovered or focused, because its action has expired. */
  isDue?: boolean;
}

/** Milliseconds for which an error is shown: long enough to read it, and it covers what it is about. */
const ERROR_MS = 15_000;

export const toasts = createStore<readonly Toast[]>([]);

let last = 0;

/** @returns Closes it. */
export function showToast(toast: Omit<Toast, 'id'>): () => void {
  last += 1;
  const id = last;
  const lasts = toast.kind === 'error' ? { lastsMs: ERROR_MS } : {};
  toasts.set([...toasts.get().slice(-3), { ...lasts, ...toast, id }]);
  return () => closeToast(id);
}

export function closeToast(id: number): void {
  toasts.set(toasts.get().filter((it) => it.id !== id));
}
