import { placeOf } from '../../policy/index.ts';
import type { EventBody } from '../../protocol/index.ts';
import { optional } from '../../protocol/index.ts';
import { isKlausError, isReadOnly } from '../../protocol/index.ts';
import { guardBackgroundChanges } from './guard-background-changes.ts';
import type { Tool } from '../ports/tool.ts';
import type { LastPositions } from '../places/known-commits.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { openedOf, runOf } from '../state/state.ts';
import type { Work } from '../loop/work.ts';

/** Paths that a state does not hold and that the log names. */
const MAX_UNCOVERED = 20;

/**
 * The state of the workspace before the first effect of a turn, to be appended with the intent of that effect.
 *
 * @returns Undefined when it was told to stop meanwhile: no effect may begin then.
 */
export async function snapshotBefore(work: Work, tools: readonly Tool<unknown>[]): Promise<EventBody[] | undefined> {
  return tools.every((tool) => isReadOnly(tool.effects)) ? [] : await snapshotWorkspace(work);
}

/** The state of the workspace before an effect, where none of this turn's is open. Undefined: see {@link snapshotBefore}. */
export async function snapshotWorkspace(work: Work): Promise<EventBody[] | undefined> {
  const { state } = work;
  if (openedOf(state).snapshots === false || state.openSnapshot) return [];
  const snapshots = await work.snapshots();
  await work.prestart.snapshot?.done;
  // Read first: the state of the same files is one state, and keeps only the last position.
  const last = toLastPositions(work, snapshots);
  const tree = await unlessStopped(work, () => snapshots.snapshot({ signal: work.stop }));
  if (tree === undefined) return undefined;
  const between = await guardBackgroundChanges(work, { tree, gitTree: await snapshots.snapshotGit(tree) });
  const known = work.activities.findKnownCommits(snapshots.git(tree), last);
  const { gitTree } = between;
  // What is at a protected place is named first: see `findUnseen`.
  const isPlace = (path: string): number => (placeOf(path) === undefined ? 1 : 0);
  const uncovered = snapshots
    .uncovered(tree)
    .map(({ path }) => path)
    .toSorted((a, b) => isPlace(a) - isPlace(b));
  return [
    ...between.bodies,
    ...(state.left ? [] : work.activities.reportUnprotected(work, uncovered)),
    {
      type: 'workspace.snapshotted',
      run: runOf(state).id,
      turn: state.turn,
      moment: 'before',
      tree: between.tree,
      ...optional({ gitTree }),
      ...(uncovered.length > 0 ? { uncovered: uncovered.slice(0, MAX_UNCOVERED) } : {}),
      ...(known.length > 0 ? { known } : {}),
      ...toUnreverted(between.unreverted),
    },
  ];
}

/**
 * Where repositories were after the last turn; undefined before the first. Where a background process may have moved refs
 * between the turns, nothing that came since is the user's for sure.
 */
function toLastPositions({ state }: Work, snapshots: Snapshots): LastPositions {
  if (!state.left) return undefined;
  return state.processes.size > 0 || !snapshots.has(state.left.tree) ? 'unknown' : snapshots.git(state.left.tree);
}

/** The first look at a large workspace takes a while, and a cancel ends it. */
export async function unlessStopped<T>(work: Work, look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (work.stop.aborted && isKlausError(error) && error.code === 'cancelled') return undefined;
    throw error;
  }
}

/**
 * The state after the last effect of the turn, or before a question: what the user does while it is open is not of
 * the turn. Where every change is known by name, only those paths are looked
 * at; where a command ran, what it changed at protected places without an approval is reverted.
 */
export async function snapshotAfter(work: Work): Promise<void> {
  const { openSnapshot: before, turnEffects } = work.state;
  const { tools } = work.engine;
  if (!before) return;
  const snapshots = await work.snapshots();
  const isKnown =
    turnEffects?.isKnown === true &&
    ![...turnEffects.tools].some((name) => tools.find(name)?.effects.includes('execute') ?? true);
  const only = isKnown ? { only: { base: before.tree, paths: [...turnEffects.paths] } } : {};
  // A check that ended last has taken the state in already.
  const tree = work.state.tree ?? (await snapshots.snapshot(only));
  const { run, turn } = before;
  const now = { tree, gitTree: await snapshots.snapshotGit(tree) };
  // The edit tools have asked before.
  const guarded = isKnown
    ? { bodies: [], unreverted: [], ...now }
    : await work.activities.guardWorkspace(work, { opened: { ...before, uncovered: before.uncovered ?? [] }, ...now });
  const { gitTree } = guarded;
  await work.append([
    ...guarded.bodies,
    {
      type: 'workspace.snapshotted',
      run,
      turn,
      moment: 'after',
      tree: guarded.tree,
      ...optional({ gitTree }),
      ...toUnreverted(guarded.unreverted),
    },
  ]);
}

function toUnreverted(paths: readonly string[]): { unreverted?: string[] } {
  return paths.length > 0 ? { unreverted: paths.slice(0, MAX_UNCOVERED) } : {};
}
