import { optional, type Event, type EventOf, type OtherChange, type TreeId } from '../../protocol/index.ts';
import type { OwnState } from '../authors/owned.ts';

/** The states of the workspace before and after the effects of a turn. */
export interface TurnStates {
  turn: number;
  run: string;
  /** Number of its prompt, or of the command of the user, from 1: a resumed run has the same prompt. */
  prompt: number;
  /** Unix milliseconds. */
  at: number;
  before: TreeId;
  /** Undefined for an interrupted turn. */
  after?: TreeId;
  /** The same for git's own data; undefined without a repository. */
  gitBefore?: TreeId;
  gitAfter?: TreeId;
  /** The states after with the changes of the session alone. Absent: all changes are its own. */
  own?: TreeId;
  gitOwn?: TreeId;
  /** `own` with the changes that may be those of others too. Absent: there are none. */
  unclear?: TreeId;
  /** What others changed, or may have changed. */
  others: readonly OtherChange[];
  /** Undone and not redone. */
  isUndone: boolean;
  /** The same for all of git's own data. */
  isGitUndone: boolean;
}

/** The turns of a session with effects, and the restores since. */
export interface TurnHistory {
  turns: TurnStates[];
  /** Restores that a redo can revert, the newest last, each with the turns that it undid. */
  redoable: { event: EventOf<'workspace.restored'>; undone: TurnStates[]; gitUndone: TurnStates[] }[];
  /** All changes of the session, in order: its turns and restores. */
  steps: Step[];
}

/** A change from one state to another; `to` is undefined for an interrupted turn. */
export interface Step {
  from: TreeId;
  to?: TreeId;
  /** The state after with the changes of the session alone. Absent: `to`. */
  own?: TreeId;
}

/** Adds what is known about the authors of the changes of a turn. */
export function addAuthors(
  { turn, step }: { turn: TurnStates; step?: Step },
  { own, gitOwn, unclear, others = [] }: OwnState,
): void {
  Object.assign(turn, optional({ own, gitOwn, unclear }), { others });
  if (step) Object.assign(step, optional({ own }));
}

/** Reads the history for undo and redo from the log. */
export function readTurnHistory(events: Iterable<Event>): TurnHistory {
  const turns: TurnStates[] = [];
  const redoable: TurnHistory['redoable'] = [];
  const steps: Step[] = [];
  let open: { turn: TurnStates; step: Step } | undefined;
  let prompt = 0;
  for (const event of events) {
    if (event.type === 'run.started' && (event.trigger === 'prompt' || event.trigger === 'shell')) prompt++;
    if (event.type === 'workspace.snapshotted') {
      if (event.moment === 'before') {
        const { turn, run, at, tree: before, gitTree } = event;
        const states = { turn, run, prompt, at, before, isUndone: false, isGitUndone: false, gitBefore: gitTree };
        open = { turn: { ...states, others: [] }, step: { from: before } };
        turns.push(open.turn);
        steps.push(open.step);
        continue;
      }
      if (!open) continue;
      open.turn.after = open.step.to = event.tree;
      if (event.gitTree !== undefined) open.turn.gitAfter = event.gitTree;
      addAuthors(open, event);
      open = undefined;
    } else if (event.type === 'workspace.restored' && event.kind !== 'review') {
      steps.push({ from: event.from, to: event.to });
      if (event.kind === 'redo') {
        // A redo reverts the newest restore, which may be one of several of the same turn.
        const last = redoable.pop();
        for (const turn of last?.undone ?? []) turn.isUndone = false;
        for (const turn of last?.gitUndone ?? []) turn.isGitUndone = false;
        continue;
      }
      const named = turns.filter(({ turn }) => event.kind === 'undo' && event.turns.includes(turn));
      const undone = named.filter(({ isUndone }) => !isUndone);
      const gitUndone = named.filter(({ isGitUndone }) => event.allGit === true && !isGitUndone);
      for (const turn of undone) turn.isUndone = true;
      for (const turn of gitUndone) turn.isGitUndone = true;
      redoable.push({ event, undone, gitUndone });
    }
  }
  return { turns, redoable, steps };
}
