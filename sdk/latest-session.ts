import type { SqliteStore } from '@klaus/adapters/store';
import { readTurnHistory, type TurnHistory } from '@klaus/core/agent';

/** Sessions of the folder that are looked through. */
const LOOKED_THROUGH = 500;

/**
 * What the latest session has to have: something that an undo can undo, an undo that can be made again, a turn with a
 * state of the workspace, or checks that its last run recorded.
 */
export type LatestWith = 'changes' | 'undone' | 'turns' | 'checks';

const FITS: Readonly<Record<Exclude<LatestWith, 'checks'>, (history: TurnHistory) => boolean>> = {
  changes: ({ turns }) => turns.some(({ isUndone, before, after }) => !isUndone && before !== after),
  undone: ({ redoable }) => redoable.length > 0,
  turns: ({ turns }) => turns.length > 0,
};

/**
 * Id of the newest session of a folder.
 *
 * @param workspace Absolute real path.
 */
export function findLatest(store: SqliteStore, workspace: string, needed: LatestWith | undefined): string | undefined {
  if (needed === undefined) return store.latestSession(workspace)?.id;
  const rows = store.sessions({ workspace, limit: LOOKED_THROUGH });
  return rows.find(({ id }) => {
    if (needed === 'checks') {
      const last = store.lastOf(id, ['run.finished']);
      return last?.type === 'run.finished' && last.evidence.length > 0;
    }
    // Cheap, and true of most that fit.
    if (store.lastOf(id, ['workspace.snapshotted']) === undefined) return false;
    return FITS[needed](readTurnHistory(store.read(id)));
  })?.id;
}
