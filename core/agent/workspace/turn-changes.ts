import { KlausError, type TreeChange } from '../../protocol/index.ts';
import { openSnapshotsOf } from '../folders/open-folders.ts';
import type { Engine } from '../loop/engine.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { loadState, readLog } from '../state/load-state.ts';
import { openedOf } from '../state/state.ts';
import { compose } from './compose-turns.ts';
import { reverse } from './tree-row.ts';
import { readTurnHistory } from './turn-history.ts';

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
