import { visibility } from './visibility.ts';

let isMine = false;

/** True in the one tab of a browser that raises notifications: a hidden one. */
export function isNotifier(): boolean {
  return document.hidden && (isMine || !('locks' in navigator));
}

/** Keeps the bell with one of the hidden tabs. Where there are no locks, each has it. */
export function electNotifier(): void {
  if (!('locks' in navigator)) return;
  let hold: AbortController | undefined;
  const look = () => {
    const now = visibility.get();
    const isHidden = now === 'hidden' || now === 'away';
    if (!isHidden) {
      hold?.abort();
      hold = undefined;
      isMine = false;
    } else if (!hold) {
      hold = new AbortController();
      void keep(hold.signal);
    }
  };
  visibility.subscribe(look);
  look();
}

async function keep(signal: AbortSignal): Promise<void> {
  const had = () =>
    new Promise<void>((resolve) => {
      if (signal.aborted) return resolve();
      isMine = true;
      signal.addEventListener('abort', () => resolve());
    });
  try {
    await navigator.locks.request('klaus.bell', { signal }, had);
  } catch {
    // Shown before it was its turn.
  }
}
