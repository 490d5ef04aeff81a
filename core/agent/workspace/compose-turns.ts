import type { TreeChange, TreeEntry, TreeId } from '../../protocol/index.ts';
import type { Conflict, Snapshots } from '../ports/snapshots.ts';
import { withoutSeemingNew } from './known-changes.ts';
import { isSame, toChange } from './tree-row.ts';
import type { TurnStates } from './turn-history.ts';

export interface Composed {
  /** From the state after the last turn to the one before the first. */
  changes: TreeChange[];
  /** Paths that another program changed between the turns. */
  foreign: Conflict[];
}

/** A turn, or git's own data in it. */
export type ComposedTurn = Pick<TurnStates, 'before' | 'after' | 'own'>;

/**
 * The changes of a session that undo several turns in one step. Without another state, all changes since an interrupted
 * turn began count as its own.
 */
export async function compose(
  snapshots: Snapshots,
  turns: readonly ComposedTurn[],
  now: () => Promise<TreeId> = () => snapshots.snapshot(),
): Promise<Composed> {
  const paths = new Map<string, { first: TreeEntry | null; last: TreeEntry | null }>();
  const foreign = new Map<string, Conflict>();
  for (const turn of turns) {
    const after = turn.own ?? turn.after ?? (await now());
    // An undo must not delete a file that was there before, and for which only the state had no room.
    const rows = withoutSeemingNew(snapshots, await snapshots.changes(turn.before, after), turn.before);
    for (const { path, before, after: left } of rows) {
      const known = paths.get(path);
      if (known && !isSame(known.last, before)) foreign.set(path, { path, expected: known.last, found: before });
      paths.set(path, { first: known ? known.first : before, last: left });
    }
  }
  const changes = [...paths].flatMap(([path, { first, last }]) => toChange(path, last, first));
  return { changes, foreign: [...foreign.values()] };
}
