import type { Klaus, SessionRow } from '@klaus/sdk';

/** How many of the newest sessions are checked. */
const MAX_CHECKED = 200;

/** True for a session whose run has not ended and that no process holds. */
export function isInterrupted(klaus: Klaus, row: Pick<SessionRow, 'id' | 'status'>): boolean {
  return row.status === 'running' && !klaus.store.isClaimed(row.id);
}

/**
 * A warning about an interrupted session in the folder of a new one. Changes of its last command to protected places
 * and to git are reverted when that session resumes, and not by another session.
 */
export function findInterrupted(klaus: Klaus, session: string): string | undefined {
  const workspace = klaus.store.session(session)?.workspace;
  if (workspace === undefined) return undefined;
  const found = klaus.sessions({ workspace, limit: MAX_CHECKED }).find((row) => isInterrupted(klaus, row));
  if (found === undefined) return undefined;
  return (
    `Session ${found.id} was interrupted in this folder. Changes of its last command to protected places and to git ` +
    `are not repaired yet. Resume it with \`klaus resume ${found.id}\`.`
  );
}
