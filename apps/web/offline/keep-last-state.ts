import { host, showLastState } from '../state/host.ts';
import { clearLastState, readLastState, saveLastState } from '../state/last-state.ts';

/** Milliseconds between two writes of the list. */
const PAUSE_MS = 3_000;

/**
 * Stores the list of sessions while it is loaded, and shows the stored one when the page opens without a connection.
 * Signing out deletes it.
 */
export function keepLastState(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = () => {
    clearTimeout(timer);
    timer = undefined;
    const { link, isLoading, isSignedOut, asOf, sessions, attention, hasOlder } = host.get();
    if (isSignedOut) {
      clearLastState();
      void import('./last-logs.ts').then(({ clearLogs }) => clearLogs());
    } else if (link === 'online' && !isLoading && asOf === undefined) {
      saveLastState(sessions.values(), attention);
      // Older sessions are not in the list.
      if (!hasOlder) void import('./last-logs.ts').then(({ keepLogs }) => keepLogs(new Set(sessions.keys())));
    }
  };
  const update = () => {
    const { link, isLoading, isSignedOut } = host.get();
    if (isSignedOut) return save();
    if (link === 'offline' && isLoading) {
      const last = readLastState();
      if (last) showLastState(last);
    }
    timer ??= setTimeout(save, PAUSE_MS);
  };
  host.subscribe(update);
  update();
  addEventListener('pagehide', save);
}
