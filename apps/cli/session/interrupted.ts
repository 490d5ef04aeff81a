import type { Klaus, SessionRow } from '@klaus/sdk';

/** The newest sessions that are looked through. */
const LOOKED_THROUGH = 200;

/** True for a session whose run is not over and that no process holds. */
export async function isInterrupted(klaus: Klaus, row: Pick<SessionRow, 'id' | 'status'>): Promise<boolean> {
  return row.status === 'running' && !(await klaus.store.isClaimed(row.id));
}

/**
 * What somebody who begins another session in a folder has to know: what the last command of an interrupted session
 * did to protected places and to git is repaired when that session goes on, not by another one.
 *
 * @param session The one that begins.
 */
export async function warnOfInterrupted(klaus: Klaus, session: string): Promise<string | undefined> {
  const workspace = (await klaus.store.session(session))?.workspace;
  if (workspace === undefined) return undefined;
  let left: SessionRow | undefined;
  for (const row of await klaus.sessions({ workspace, limit: LOOKED_THROUGH })) {
    if (!(await isInterrupted(klaus, row))) continue;
    left = row;
    break;
  }
  if (left === undefined) return undefined;
  return (
    `Session ${left.id} was interrupted in this folder. What its last command changed at protected places and in git ` +
    `is not repaired yet: klaus resume ${left.id} goes on with it.`
  );
}
