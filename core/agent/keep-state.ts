import type { EventBody } from '../protocol/index.ts';
import { isReadOnly } from '../protocol/index.ts';
import { guardPlaces } from './guard-places.ts';
import type { Tool } from './ports/tool.ts';
import { openedOf, runOf } from './state.ts';
import type { Work } from './work.ts';

/** Paths that a state does not hold and that the log names. */
const MAX_UNCOVERED = 20;

/** The state of the workspace before the first effect of a turn, to be appended with the intent of that effect. */
export async function keepBefore(work: Work, tools: readonly Tool<unknown>[]): Promise<EventBody[]> {
  const { state } = work;
  if (openedOf(state).snapshots === false || state.openSnapshot) return [];
  if (tools.every((tool) => isReadOnly(tool.effects))) return [];
  const snapshots = await work.snapshots();
  const tree = await snapshots.snapshot({ signal: work.stop });
  const uncovered = snapshots.uncovered(tree).map(({ path }) => path);
  return [
    {
      type: 'workspace.snapshotted',
      run: runOf(state).id,
      turn: state.turn,
      moment: 'before',
      tree,
      ...(uncovered.length > 0 ? { uncovered: uncovered.slice(0, MAX_UNCOVERED) } : {}),
    },
  ];
}

/**
 * The state after the last effect of the turn. Where every change is known by name, only those paths are looked
 * at; where a command ran, what it changed at protected places without a human's word is taken back.
 */
export async function keepAfter(work: Work): Promise<void> {
  const { openSnapshot: before, turnEffects } = work.state;
  if (!before) return;
  const snapshots = await work.snapshots();
  const isKnown = turnEffects?.isKnown === true;
  const only = isKnown ? { only: { base: before.tree, paths: [...turnEffects.paths] } } : {};
  const tree = await snapshots.snapshot(only);
  const { run, turn } = before;
  const guarded = isKnown ? { bodies: [], tree } : await guardPlaces(work, { before: before.tree, after: tree });
  await work.append([
    ...guarded.bodies,
    { type: 'workspace.snapshotted', run, turn, moment: 'after', tree: guarded.tree },
  ]);
}
