import { requestEnd } from '../log/session-log.ts';
import { host } from '../state/host.ts';
import { parseRoute } from '../state/route.ts';

/** Parts of the page that the first load does not contain. They are loaded after it, so that they also open offline. */
export const loadOverlays = async () => (await import('./overlays.tsx')).Overlays;
export const loadSessionPage = async () => (await import('../sessions/session-page.tsx')).SessionPage;

const register = async () => (await import('../offline/register-worker.ts')).registerWorker();

/** Milliseconds between the first view and the other parts, so that they do not delay what it still loads. */
const LATER_MS = 2_000;

/** Loads the page of a session at once if the address names one, and everything else when the browser is idle. */
export function loadLater(): void {
  const loads: (() => Promise<unknown>)[] = [loadSessionPage, loadOverlays, register];
  // A failure is reported when the part is shown.
  const load = () => loads.forEach((each) => void each().catch(() => undefined));
  const here = parseRoute(location.hash);
  if (here.page === 'session') {
    if (here.seq === undefined) requestEnd(here.id);
    load();
    return;
  }
  const stop = host.subscribe(() => {
    if (!host.get().settings) return;
    stop();
    setTimeout(() => requestIdleCallback(load, { timeout: 2_000 }), LATER_MS);
  });
}
