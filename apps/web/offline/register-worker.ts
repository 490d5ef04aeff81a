import { basePath } from '../state/base-path.ts';
import { host } from '../state/host.ts';
import { showToast } from '../state/toasts.ts';
import { text } from '../text/text.ts';

/** Milliseconds between two checks for a new version. */
const CHECK_MS = 60_000;

/** The script of this page, whose name contains a hash of its content. */
function ownScript(): string {
  const script = document.querySelector<HTMLScriptElement>('script[type=module][src]');
  return script ? new URL(script.src).pathname : '';
}

/** True if a worker has the files of this page. */
function hasOwn(worker: ServiceWorker): Promise<boolean> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data === true);
    worker.postMessage({ kind: 'has', file: ownScript() }, [port2]);
  });
}

let isReloading = false;

/** Activates a worker that waits. If it belongs to another version of the page, the user decides when. */
async function offer(worker: ServiceWorker): Promise<void> {
  const activate = () => worker.postMessage({ kind: 'activate' });
  if (await hasOwn(worker)) return activate();
  const t = text().lists;
  showToast({
    kind: 'info',
    text: t.update,
    action: {
      label: text().app.reload,
      run() {
        isReloading = true;
        activate();
      },
    },
  });
}

function follow(registration: ServiceWorkerRegistration): void {
  if (registration.waiting && navigator.serviceWorker.controller) void offer(registration.waiting);
  const watch = () => {
    const found = registration.installing;
    found?.addEventListener('statechange', () => {
      // Without a controller it is the first one, which activates itself.
      if (found.state === 'installed' && navigator.serviceWorker.controller) void offer(found);
    });
  };
  // One that the browser found before this part of the page was loaded, and those that it finds later.
  watch();
  registration.addEventListener('updatefound', watch);
  navigator.serviceWorker.addEventListener('controllerchange', () => {
    if (isReloading) location.reload();
  });
  let checked = Date.now();
  const check = () => {
    if (document.hidden || host.get().link !== 'online' || Date.now() - checked < CHECK_MS) return;
    checked = Date.now();
    // A failure is that of the connection, which the page reports.
    registration.update().catch(() => undefined);
  };
  document.addEventListener('visibilitychange', check);
  host.subscribe(check);
}

/** Registers the worker that opens the page without a connection. Browsers allow it over HTTPS and on this machine. */
export async function registerWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  try {
    follow(await navigator.serviceWorker.register(`${basePath}/service-worker.js`));
  } catch {
    // Private windows and policies of a browser refuse workers. The page works without one.
  }
}
