import type { Klaus, SessionRow } from '@klaus/sdk';

/** How many of the newest sessions are checked. */
const MAX_CHECKED = 200;

/** True for a session whose run has not ended and that no process holds. */
export async function isInterrupted(klaus: Klaus, row: Pick<SessionRow, 'id' | 'status'>): Promise<boolean> {
  return row.status === 'running' && !(await klaus.store.isClaimed(row.id));
}

/**
 * A warning about an interrupted session in the folder of a new one. Changes of its last command to protected places
 * and to git are reverted when that session resumes, and not by another session.
 */
export async function findInterrupted(klaus: Klaus, session: string): Promise<string | undefined> {
  const workspace = (await klaus.store.session(session))?.workspace;
  if (workspace === undefined) return undefined;
  for (const row of await klaus.sessions({ workspace, limit: MAX_CHECKED })) {
    if (await isInterrupted(klaus, row)) return toWarning(row.id);
  }
  return undefined;
}

function toWarning(id: string): string {
  return (
    `Session ${id} was interrupted in this folder. Changes of its last command to protected places and to git are not ` +
    `repaired yet. Resume it with \`klaus resume ${id}\`.`
  );
}
