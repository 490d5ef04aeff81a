import { createHash } from 'node:crypto';
import type { SessionStore } from '@klaus/core/agent';

/** Sessions whose tenant is in memory. */
const MOST = 10_000;

/**
 * Finds the tenant of a session, which is its project: a hash of the path of its workspace, so that no path gets into the
 * engine. The workspace of a session never changes.
 */
export function createTenants(store: Pick<SessionStore, 'session'>): (session: string) => Promise<string | undefined> {
  const known = new Map<string, string>();
  return async (session) => {
    const before = known.get(session);
    if (before !== undefined) return before;
    const workspace = (await store.session(session))?.workspace;
    if (workspace === undefined) return undefined;
    const tenant = createHash('sha256').update(workspace).digest('hex').slice(0, 32);
    if (known.size >= MOST) known.clear();
    known.set(session, tenant);
    return tenant;
  };
}
