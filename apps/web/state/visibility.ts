import { createStore } from './store.ts';

/**
 * Whether a person can see this tab. `hidden`: not at present. `away`: not for some seconds, or another tab was shown
 * since. `asleep`: the browser keeps it without running it, as in its cache of pages to go back to.
 */
export type Visibility = 'shown' | 'hidden' | 'away' | 'asleep';

/** Milliseconds for which somebody who looks away is expected back: until then a tab keeps its connections. */
const PATIENCE_MS = 5_000;

export const visibility = createStore<Visibility>('shown');

/** Keeps `presence` true from here on. */
export function followVisibility(): void {
  // A browser has few connections to one server for all its tabs: who leafs through them must not take one with each.
  const others = new BroadcastChannel('klaus.shown');
  let timer: ReturnType<typeof setTimeout> | undefined;
  const leave = () => {
    if (visibility.get() === 'hidden') visibility.set('away');
  };
  const look = () => {
    clearTimeout(timer);
    if (!document.hidden) {
      visibility.set('shown');
      others.postMessage('shown');
    } else if (visibility.get() === 'shown') {
      visibility.set('hidden');
      timer = setTimeout(leave, PATIENCE_MS);
    } else {
      visibility.set('away');
    }
  };
  const sleep = () => visibility.set('asleep');
  others.addEventListener('message', leave);
  document.addEventListener('visibilitychange', look);
  document.addEventListener('freeze', sleep);
  document.addEventListener('resume', look);
  addEventListener('pagehide', sleep);
  addEventListener('pageshow', look);
  // A tab that is opened behind another one begins without.
  if (document.hidden) visibility.set('away');
  else look();
}

/** Resolves as soon as the presence is one of those, or the signal says enough. */
export function untilVisibility(wanted: readonly Visibility[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!signal.aborted && !wanted.includes(visibility.get())) return;
      stop();
      signal.removeEventListener('abort', look);
      resolve();
    };
    const stop = visibility.subscribe(look);
    signal.addEventListener('abort', look);
    look();
  });
}
