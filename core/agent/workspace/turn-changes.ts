import { KlausError, type TreeChange, type TreeEntry } from '../../protocol/index.ts';
import { openSnapshotsOf } from '../folders/open-folders.ts';
import type { Engine } from '../loop/engine.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { loadState, readLog } from '../state/load-state.ts';
import { openedOf } from '../state/state.ts';
import { compose } from './compose-turns.ts';
import { reverse, toChange } from './tree-row.ts';
import { readTurnHistory, type TurnHistory } from './turn-history.ts';

/** The changes of a turn (default: the last), or of `all` that were not undone. @throws KlausError `usage`. */
export async function changesOfTurn(
  engine: Engine,
  session: string,
  turn: number | 'all' | undefined,
): Promise<{ turn: number; changes: TreeChange[]; snapshots: Snapshots }> {
  const history = readTurnHistory(await readLog(engine.store, session));
  const number = turn === 'all' ? 0 : (turn ?? history.turns.at(-1)?.turn);
  const states =
    turn === 'all'
      ? history.turns.filter(({ isUndone }) => !isUndone)
      : history.turns.filter((candidate) => candidate.turn === number);
  if (number === undefined || (states.length === 0 && turn !== 'all')) {
    const known = [...new Set(history.turns.map((candidate) => candidate.turn))].join(', ');
    throw new KlausError(
      'usage',
      turn === undefined ? 'No turn of this session changed a file.' : `Turn ${turn} changed no file.`,
      known === '' ? {} : { hint: `Turns with effects: ${known}.` },
    );
  }
  const snapshots = await openSnapshotsOf(engine, openedOf(await loadState(engine, session)));
  const { changes } = await compose(snapshots, states);
  return { turn: number, changes: changes.map(reverse).toSorted((a, b) => (a.path < b.path ? -1 : 1)), snapshots };
}

/**
 * The changes from the state before the first turn of a session to the present files, at the paths that its turns and
 * restores changed. Changes that others made at these paths are included.
 */
export async function changesUntilNow(
  engine: Engine,
  session: string,
): Promise<{ turn: number; changes: TreeChange[]; snapshots: Snapshots }> {
  const history = readTurnHistory(await readLog(engine.store, session));
  const snapshots = await openSnapshotsOf(engine, openedOf(await loadState(engine, session)));
  const paths = await toFirstEntries(snapshots, history);
  const last = history.steps.at(-1);
  if (paths.size === 0 || !last) return { turn: 0, changes: [], snapshots };
  // An interrupted turn has no state after it, so that everything is read.
  const only = last.to === undefined ? {} : { only: { base: last.to, paths: [...paths.keys()] } };
  const now = await snapshots.snapshot(only);
  const changes: TreeChange[] = [];
  for (const [path, first] of paths) {
    changes.push(...toChange(path, first, (await snapshots.entry(now, path)) ?? null));
  }
  return { turn: 0, changes: changes.toSorted((a, b) => (a.path < b.path ? -1 : 1)), snapshots };
}

/** The entry at each changed path before its first change. */
async function toFirstEntries(
  snapshots: Snapshots,
  { steps }: Pick<TurnHistory, 'steps'>,
): Promise<Map<string, TreeEntry | null>> {
  const first = new Map<string, TreeEntry | null>();
  for (const { from, to } of steps) {
    for (const { path, before } of await snapshots.changes(from, to ?? (await snapshots.snapshot()))) {
      if (!first.has(path)) first.set(path, before);
    }
  }
  return first;
}
