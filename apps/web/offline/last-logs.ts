import type { Event } from '@klaus/core/protocol';
import { toOwnName } from '../state/base-path.ts';

/** Sessions that are kept, the latest opened ones, and characters of one as JSON. */
const MAX_SESSIONS = 5;
const MAX_CHARS = 1_000_000;

const NAME = toOwnName('klaus-last-logs');
const STORE = 'logs';

interface StoredLog {
  session: string;
  /** Unix milliseconds. */
  at: number;
  /** The first event and the end of the log, as JSON. */
  text: string;
}

/** Does one thing in the database of this browser. Undefined if it is not possible. */
async function run<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T | undefined> {
  try {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(NAME, 1);
      request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE, { keyPath: 'session' }));
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error!));
    });
    try {
      return await new Promise<T>((resolve, reject) => {
        const transaction = database.transaction(STORE, mode);
        const request = work(transaction.objectStore(STORE));
        transaction.addEventListener('complete', () => resolve(request.result));
        transaction.addEventListener('abort', () => reject(transaction.error!));
      });
    } finally {
      database.close();
    }
  } catch {
    // No database, or no space: the page works without it.
    return undefined;
  }
}

/** Keeps the end of a log, as the server sent it. A longer one keeps fewer events. */
export async function saveLog(session: string, [opening, ...end]: readonly Event[]): Promise<void> {
  if (!opening) return;
  let from = 0;
  const toText = () => JSON.stringify([opening, ...end.slice(from)]);
  let text = toText();
  while (text.length > MAX_CHARS && from < end.length) {
    from += Math.max(1, Math.ceil((end.length - from) / 2));
    text = toText();
  }
  if (text.length > MAX_CHARS) return;
  await run('readwrite', (store) => store.put({ session, at: Date.now(), text } satisfies StoredLog));
  if (((await run('readonly', (store) => store.count())) ?? 0) <= MAX_SESSIONS) return;
  const all = ((await run('readonly', (store) => store.getAll())) ?? []) as StoredLog[];
  for (const { session: old } of all.toSorted((a, b) => b.at - a.at).slice(MAX_SESSIONS)) await removeLog(old);
}

/** Undefined without one. */
export async function readSavedLog(session: string): Promise<Event[] | undefined> {
  const stored = (await run('readonly', (store) => store.get(session))) as StoredLog | undefined;
  return stored && (JSON.parse(stored.text) as Event[]);
}

export async function removeLog(session: string): Promise<void> {
  await run('readwrite', (store) => store.delete(session));
}

export async function clearLogs(): Promise<void> {
  await run('readwrite', (store) => store.clear());
}

/** Removes the logs of other sessions, such as deleted ones. */
export async function keepLogs(known: ReadonlySet<string>): Promise<void> {
  const stored = ((await run('readonly', (store) => store.getAllKeys())) ?? []) as string[];
  for (const session of stored) if (!known.has(session)) await removeLog(session);
}
