import type { SessionView } from '@klaus/server/contract';
import { groupSessions, type Host } from '../state/host.ts';

export const COLUMNS = ['queued', 'running', 'needing', 'done', 'failed'] as const;
export type Column = (typeof COLUMNS)[number];

/**
 * The sessions of each column: queued ones in the order of the queue, those that need the user with the one that waits
 * longest first, others with the latest first. A failed or finished run that was not seen is in the column of its end.
 */
export function toColumns(given: Pick<Host, 'sessions' | 'attention'>): Record<Column, SessionView[]> {
  const { waiting, pinned, others } = groupSessions(given);
  const columns: Record<Column, SessionView[]> = { queued: [], running: [], needing: [], done: [], failed: [] };
  for (const session of [...waiting, ...pinned, ...others]) {
    const column = toColumn(session);
    if (column) columns[column].push(session);
  }
  columns.queued.sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
  for (const column of ['done', 'failed'] as const)
    columns[column].sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  return columns;
}

function toColumn({ state, problem, outcome }: SessionView): Column | undefined {
  // A run that reached its limit continues when the user raises it.
  const isPaused = state === 'interrupted' || (state === 'failed' && outcome === 'limit');
  if (state === 'needs-you' || isPaused) return 'needing';
  if (problem !== null) return 'failed';
  return state === 'idle' ? undefined : state;
}

/** True if the run of a session can be queued again: it failed or was interrupted. */
export function isResumable({ state, parent }: SessionView): boolean {
  return (state === 'failed' || state === 'interrupted') && parent === null;
}
