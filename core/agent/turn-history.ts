import type { Event, EventOf, TreeId } from '../protocol/index.ts';

/** What a turn did to the workspace: the states around its effects. */
export interface TurnStates {
  turn: number;
  run: string;
  /** Unix milliseconds. */
  at: number;
  before: TreeId;
  /** Undefined for a turn that was cut off. */
  after?: TreeId;
  /** Taken back and not made again. */
  isUndone: boolean;
}

/** The turns of a session that had effects, and what was put back since. */
export interface TurnHistory {
  turns: TurnStates[];
  /** Restores that can be taken back, the newest last. */
  redoable: EventOf<'workspace.restored'>[];
}

/** Folds the log into what undo needs. */
export function readTurnHistory(events: Iterable<Event>): TurnHistory {
  const turns: TurnStates[] = [];
  let redoable: EventOf<'workspace.restored'>[] = [];
  for (const event of events) {
    if (event.type === 'workspace.snapshotted') {
      if (event.moment === 'before') {
        turns.push({ turn: event.turn, run: event.run, at: event.at, before: event.tree, isUndone: false });
        continue;
      }
      const open = turns.findLast(({ turn, after }) => turn === event.turn && after === undefined);
      if (open) open.after = event.tree;
    } else if (event.type === 'workspace.restored') {
      const isUndo = event.kind === 'undo';
      if (event.kind !== 'undo' && event.kind !== 'redo') continue;
      for (const turn of turns) if (event.turns.includes(turn.turn)) turn.isUndone = isUndo;
      if (isUndo) redoable.push(event);
      else redoable = redoable.filter(({ turns: taken }) => taken.join() !== event.turns.join());
    }
  }
  return { turns, redoable };
}
