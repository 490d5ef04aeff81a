import { isReadOnly, type EventBody } from '../../protocol/index.ts';
import { effectsOf } from '../calls/session-tools.ts';
import { toEngineMessage } from '../context/engine-message.ts';
import type { Work } from '../loop/work.ts';
import { runOf } from '../state/state.ts';
import { listNames } from './unreverted-places.ts';
import { snapshotAfter } from './snapshot-workspace.ts';

/** Begin of the notice about lost changes, for replays. */
export const CHANGES_LOST = 'The process that ran this session ended before it stored all files. ';

/**
 * Stores the state of an open turn before this process gives the session back, so that another machine can continue with
 * the same files. Does nothing unless the settings ask for it, or while a call runs.
 */
export async function keepState(work: Work): Promise<void> {
  const { state, engine } = work;
  if (engine.settings.keepsStates !== true || !state.openSnapshot || work.isLeaving()) return;
  if (state.calls.some(({ started }) => started)) return;
  await snapshotAfter(work, { released: true });
}

/**
 * Reports the calls of an open turn whose changes are lost, and closes its step. A process that ends stores the state of its
 * turn, so a turn that is open was interrupted by a crash, and the files are those of the last state in the log.
 */
export async function reportLostChanges(work: Work): Promise<void> {
  const { state, engine } = work;
  if (engine.settings.keepsStates !== true || !state.openSnapshot || !state.run) return;
  // The files after a check are a state too.
  const lost = state.tree === undefined ? findLost(work) : [];
  const bodies: EventBody[] = [];
  if (lost.length > 0) {
    const run = runOf(state);
    const text = `${CHANGES_LOST}The files are those of the last stored state. Changes by ${listNames(lost)} in this turn are lost.`;
    const message = `${text} Read files again before you rely on them, and repeat these changes if they are needed.`;
    const at = { run: run.id, turn: state.turn };
    bodies.push({ type: 'notice', run: run.id, level: 'warn', text }, toEngineMessage(engine.ids, at, message));
  }
  const { run, turn, tree, gitTree } = state.openSnapshot;
  const after = state.tree ?? tree;
  const body: EventBody = { type: 'workspace.snapshotted', run, turn, moment: 'after', tree: after, released: true };
  bodies.push({ ...body, gitTree });
  await work.append(bodies);
}

/** Names of the tools of finished calls whose changes no state contains. The report about a call that ran names its own. */
function findLost(work: Work): string[] {
  const { state } = work;
  const begun = state.turnEffects?.tools ?? new Set<string>();
  const open = new Set(state.calls.filter(({ finished }) => finished).map(({ name }) => name));
  // After the last call of a turn none is left.
  const ended = state.calls.length > 0 ? [...begun].filter((name) => open.has(name)) : [...begun];
  return ended.filter((name) => !isReadOnly(effectsOf(work, name) ?? ['execute']));
}
