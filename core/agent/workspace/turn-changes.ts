import { KlausError, optional, type OtherChange, type TreeChange } from '../../protocol/index.ts';
import { openSnapshotsOf } from '../folders/open-folders.ts';
import type { Engine } from '../loop/engine.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { loadState, readLog } from '../state/load-state.ts';
import { openedOf } from '../state/state.ts';
import { findOwnChanges } from './own-changes.ts';
import { readTurnHistory } from './turn-history.ts';

export interface TurnChanges {
  /** 0 for all turns. */
  turn: number;
  changes: TreeChange[];
  parts: TreeChange[];
  /** What others changed during these turns, or may have changed: `changes` does not have it. */
  others: readonly OtherChange[];
  snapshots: Snapshots;
}

/**
 * What a session changed in a turn (default: the last) or in `all`, as rows and as the parts of its diff: see `OwnChange`.
 *
 * @throws KlausError `usage`.
 */
export async function changesOfTurn(
  engine: Engine,
  session: string,
  turn: number | 'all' | undefined,
): Promise<TurnChanges> {
  const history = readTurnHistory(await readLog(engine.store, session));
  const number = turn === 'all' ? 0 : (turn ?? history.turns.at(-1)?.turn);
  const ofTurn = history.turns.filter((candidate) => candidate.turn === number);
  if (number === undefined || (ofTurn.length === 0 && turn !== 'all')) {
    const known = [...new Set(history.turns.map((candidate) => candidate.turn))].join(', ');
    throw new KlausError(
      'usage',
      turn === undefined ? 'No turn of this session changed a file.' : `Turn ${turn} changed no file.`,
      known === '' ? {} : { hint: `Turns with effects: ${known}.` },
    );
  }
  const snapshots = await openSnapshotsOf(engine, openedOf(await loadState(engine, session)));
  const steps =
    turn === 'all'
      ? history.steps
      : ofTurn.map(({ before: from, after: to, own }) => ({ from, ...optional({ to, own }) }));
  const own = await findOwnChanges(snapshots, steps);
  const others = (turn === 'all' ? history.turns : ofTurn).flatMap((one) => one.others);
  const changes = own.map(({ row }) => row);
  return { turn: number, changes, parts: own.flatMap(({ parts }) => parts), others, snapshots };
}
