import type { Event, EventOf, TreeId } from '../../protocol/index.ts';

/** What a turn did to the workspace: the states around its effects. */
export interface TurnStates {
  turn: number;
  run: string;
  /** Number of the prompt that it worked on, from 1: a run that was resumed works on the same one. */
  prompt: number;
  /** Unix milliseconds. */
  at: number;
  before: TreeId;
  /** Undefined for a turn that was cut off. */
  after?: TreeId;
  /** The same for git's own data; undefined where there was no repository. */
  gitBefore?: TreeId;
  gitAfter?: TreeId;
  /** Taken back and not made again. */
  isUndone: boolean;
}

/** The turns of a session that had effects, and what was put back since. */
export interface TurnHistory {
  turns: TurnStates[];
  /** Restores that can be taken back, the newest last, each with the turns that it took back. */
  redoable: { event: EventOf<'workspace.restored'>; taken: TurnStates[] }[];
  /** Every change that the session made, in order: its turns and what was put back. */
  steps: Step[];
}

/** From one state to the next; `to` is undefined where it was cut off. */
export interface Step {
  from: TreeId;
  to?: TreeId;
}

/** Folds the log into what undo needs. */
export function readTurnHistory(events: Iterable<Event>): TurnHistory {
  const turns: TurnStates[] = [];
  const redoable: TurnHistory['redoable'] = [];
  const steps: Step[] = [];
  let open: { turn: TurnStates; step: Step } | undefined;
  let prompt = 0;
  for (const event of events) {
    if (event.type === 'run.started' && event.trigger === 'prompt') prompt++;
    if (event.type === 'workspace.snapshotted') {
      if (event.moment === 'before') {
        const { gitTree } = event;
        const git = gitTree === undefined ? {} : { gitBefore: gitTree };
        const turn: TurnStates = {
          ...{ turn: event.turn, run: event.run, prompt, at: event.at, before: event.tree, isUndone: false },
          ...git,
        };
        open = { turn, step: { from: event.tree } };
        turns.push(turn);
        steps.push(open.step);
        continue;
      }
      if (!open) continue;
      open.turn.after = open.step.to = event.tree;
      if (event.gitTree !== undefined) open.turn.gitAfter = event.gitTree;
      open = undefined;
    } else if (event.type === 'workspace.restored' && event.kind !== 'review') {
      steps.push({ from: event.from, to: event.to });
      if (event.kind === 'redo') {
        // A redo takes back the newest of them, which may be one of several of the same turn.
        for (const turn of redoable.pop()?.taken ?? []) turn.isUndone = false;
        continue;
      }
      const isTaken = ({ turn, isUndone }: TurnStates): boolean =>
        event.kind === 'undo' && !isUndone && event.turns.includes(turn);
      const taken = turns.filter(isTaken);
      for (const turn of taken) turn.isUndone = true;
      redoable.push({ event, taken });
    }
  }
  return { turns, redoable, steps };
}
