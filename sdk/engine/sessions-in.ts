import type { Engine, SessionStore } from '@klaus/core/agent';
import { isBelow } from '@klaus/core/policy';

/** See `Engine.sessionsIn`. */
export function createSessionFinder(store: Pick<SessionStore, 'sessions' | 'eventsOf'>): Engine['sessionsIn'] {
  /** The folders that a session may change in addition to its workspace. They never change. */
  const writable = new Map<string, readonly string[]>();
  const foldersOf = async (id: string): Promise<readonly string[]> => {
    const known = writable.get(id);
    if (known) return known;
    const [opened] = await store.eventsOf(id, ['session.opened']);
    if (opened) writable.set(id, opened.writable ?? []);
    return opened?.writable ?? [];
  };
  return async (folders, since) => {
    const overlaps = (path: string): boolean => folders.some((one) => isBelow(path, one) || isBelow(one, path));
    const rows = await store.sessions({ activeSince: new Date(since).toISOString(), limit: -1 });
    const found = [];
    for (const { id, workspace, parent } of rows)
      if (overlaps(workspace) || (await foldersOf(id)).some(overlaps))
        found.push({ id, ...(parent === null ? {} : { parent }) });
    return found;
  };
}
