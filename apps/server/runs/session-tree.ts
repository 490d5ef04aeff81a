import type { Klaus } from '@klaus/sdk';

type View = Klaus['store']['view'];

/** Sessions above one, its parent first. A fork of a child is a session of the user, which has none. */
export function toAncestors(view: Pick<View, 'session'>, session: string): string[] {
  const found: string[] = [];
  for (let row = view.session(session); row && row.parent !== null && row.forkedFrom === null;) {
    const { parent } = row;
    if (parent === session || found.includes(parent)) break;
    row = view.session(parent);
    // A deleted session has no row.
    if (row) found.push(parent);
  }
  return found;
}

/** The session that the user opened: the session itself, or the one that is highest above it. */
export function toRoot(view: Pick<View, 'session'>, session: string): string {
  return toAncestors(view, session).at(-1) ?? session;
}
