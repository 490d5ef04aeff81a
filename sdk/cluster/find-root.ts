import type { SessionStore } from '@klaus/core/agent';

/** The session that the user opened: a child is run by it. A fork of a child has no parent. */
export async function findRoot(store: Pick<SessionStore, 'session'>, id: string): Promise<string> {
  const seen = [id];
  for (let row = await store.session(id); row && row.parent !== null && row.forkedFrom === null;) {
    const { parent } = row;
    if (seen.includes(parent)) break;
    row = await store.session(parent);
    // A deleted session has no row.
    if (row) seen.push(parent);
  }
  return seen.at(-1)!;
}
