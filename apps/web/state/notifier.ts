import { toOwnName } from './base-path.ts';
import { visibility } from './visibility.ts';

let isElected = false;

/** True in the tab that shows notifications: one hidden tab of the browser. */
export function isNotifier(): boolean {
  return document.hidden && (isElected || !('locks' in navigator));
}

/** Elects one of the hidden tabs by a lock. In a browser without locks, every hidden tab shows notifications. */
export function electNotifier(): void {
  if (!('locks' in navigator)) return;
  let hold: AbortController | undefined;
  const update = () => {
    const now = visibility.get();
    const isHidden = now === 'hidden' || now === 'away';
    if (!isHidden) {
      hold?.abort();
      hold = undefined;
      isElected = false;
    } else if (!hold) {
      hold = new AbortController();
      void keep(hold.signal);
    }
  };
  visibility.subscribe(update);
  update();
}

async function keep(signal: AbortSignal): Promise<void> {
  const had = () =>
    new Promise<void>((resolve) => {
      if (signal.aborted) return resolve();
      isElected = true;
      signal.addEventListener('abort', () => resolve());
    });
  try {
    await navigator.locks.request(toOwnName('klaus.bell'), { signal }, had);
  } catch {
    // The tab became visible before it got the lock.
  }
}
