import { createStore } from './store.ts';

/**
 * The visibility of this tab. `hidden`: for less than some seconds. `away`: for longer, or another tab was shown since.
 * `frozen`: suspended by the browser, such as in the back/forward cache.
 */
export type Visibility = 'visible' | 'hidden' | 'away' | 'frozen';

/** Milliseconds for which a hidden tab keeps its connections. */
const AWAY_MS = 5_000;

export const visibility = createStore<Visibility>('visible');

export function followVisibility(): void {
  // A browser limits the connections per server, so that tabs visited in quick succession must release theirs.
  const others = new BroadcastChannel('klaus.shown');
  let timer: ReturnType<typeof setTimeout> | undefined;
  const leave = () => {
    if (visibility.get() === 'hidden') visibility.set('away');
  };
  const update = () => {
    clearTimeout(timer);
    if (!document.hidden) {
      visibility.set('visible');
      others.postMessage('shown');
    } else if (visibility.get() === 'visible') {
      visibility.set('hidden');
      timer = setTimeout(leave, AWAY_MS);
    } else {
      visibility.set('away');
    }
  };
  const freeze = () => visibility.set('frozen');
  others.addEventListener('message', leave);
  document.addEventListener('visibilitychange', update);
  document.addEventListener('freeze', freeze);
  document.addEventListener('resume', update);
  addEventListener('pagehide', freeze);
  addEventListener('pageshow', update);
  // A tab that is opened in the background has no connections to keep.
  if (document.hidden) visibility.set('away');
  else update();
}

/** Resolves as soon as the visibility is one of `wanted`, or the signal is aborted. */
export function untilVisibility(wanted: readonly Visibility[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!signal.aborted && !wanted.includes(visibility.get())) return;
      stop();
      signal.removeEventListener('abort', check);
      resolve();
    };
    const stop = visibility.subscribe(check);
    signal.addEventListener('abort', check);
    check();
  });
}
