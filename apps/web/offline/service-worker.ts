/**
 * The service worker of the page: its own files, so that the page opens without a connection. It never stores an answer
 * of the API. The build replaces `FILES` and puts the result at `/service-worker.js`.
 */
declare const __KLAUS_FILES__: readonly string[];

/** The parts of a service worker that TypeScript does not know without another library. */
interface Worker {
  addEventListener<T extends Event>(type: string, listener: (event: T) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
}
interface Extendable extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Extendable {
  request: Request;
  respondWith(response: Promise<Response>): void;
}
interface Asked extends Extendable {
  data: unknown;
  ports: readonly MessagePort[];
}

const worker = globalThis as unknown as Worker;
const FILES: readonly string[] = __KLAUS_FILES__;
/** The path of the page, with a slash at its end. */
const BASE = new URL('.', location.href).pathname;
/** All servers of an origin share its caches. */
const PREFIX = BASE === '/' ? 'klaus-page-' : `klaus-page-${BASE}`;
const isOwn = (name: string): boolean => name.startsWith(PREFIX) && !name.slice(PREFIX.length).includes('/');
/** The files have a hash of their content in their names, so that their list is a version. */
const VERSION = `${PREFIX}${toHash(FILES.join('\n'))}`;
const KNOWN = new Set(FILES.map(toAddress));

worker.addEventListener<Extendable>('install', (event) => {
  event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll([...KNOWN])));
});

worker.addEventListener<Extendable>('activate', (event) => {
  event.waitUntil(removeOld().then(() => worker.clients.claim()));
});

/** A page of the previous version may still run, and load its parts. */
async function removeOld(): Promise<void> {
  const others = (await caches.keys()).filter((name) => isOwn(name) && name !== VERSION);
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)));
}

worker.addEventListener<Fetching>('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  if (url.pathname === BASE && request.mode === 'navigate') event.respondWith(openPage(request));
  else if (url.pathname.startsWith(`${BASE}assets/`) || KNOWN.has(url.pathname)) event.respondWith(readFile(request));
});

/** The page of the server, whose nonce is new; without a connection the latest one. */
async function openPage(request: Request): Promise<Response> {
  const cache = await caches.open(VERSION);
  try {
    const response = await fetch(request);
    const isPage = response.ok && !response.redirected && response.type === 'basic';
    if (isPage) await cache.put(BASE, response.clone());
    return response;
  } catch (error) {
    const stored = await caches.match(BASE);
    if (stored) return stored;
    throw error;
  }
}

/** The name of a file contains its hash, so that a stored one is never old. */
async function readFile(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith(`${BASE}assets/`)) {
    return fetch(request).catch(async (error: unknown) => {
      const stored = await caches.match(pathname);
      if (stored) return stored;
      throw error;
    });
  }
  return (await caches.match(pathname)) ?? fetch(request);
}

worker.addEventListener<Asked>('message', (event) => {
  const { data, ports } = event;
  const { kind, file } = (typeof data === 'object' && data !== null ? data : {}) as { kind?: string; file?: string };
  if (kind === 'has') ports[0]?.postMessage(file !== undefined && KNOWN.has(file));
  if (kind === 'activate') event.waitUntil(worker.skipWaiting());
});

function toAddress(file: string): string {
  return `${BASE}${file.slice(1)}`;
}

function toHash(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return (hash >>> 0).toString(36);
}
