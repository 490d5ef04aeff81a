import { placeOf } from '../../policy/index.ts';
import { isKlausError, optional, toOwnCall, type EventBody } from '../../protocol/index.ts';
import { guardBackgroundChanges } from './guard-background-changes.ts';
import type { LastPositions } from '../places/known-commits.ts';
import { storeNamedPlaces } from '../places/store-named-places.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { openedOf, runOf } from '../state/state.ts';
import type { Work } from '../loop/work.ts';

/** Maximum uncovered paths in an event. */
const MAX_UNCOVERED = 20;

/**
 * Takes a snapshot before an effect, unless one is open. The events must be appended with the intent of that effect.
 * If it takes longer than a second, doors show it.
 *
 * @returns Undefined if it was stopped: no effect may begin then.
 */
export async function snapshotWorkspace(work: Work): Promise<EventBody[] | undefined> {
  const { state } = work;
  if (openedOf(state).snapshots === false || state.openSnapshot) return [];
  const snapshots = await work.snapshots();
  using progress = reportProgress(work, runOf(work.state).id);
  await work.prestart.snapshot?.done;
  // Read before the snapshot: states of the same files share one position, the last one.
  const last = toLastPositions(work, snapshots);
  const tree = await unlessStopped(work, () =>
    snapshots.snapshot({ signal: work.stop, onProgress: (seen) => progress.count(seen) }),
  );
  if (tree === undefined) return undefined;
  const between = await guardBackgroundChanges(work, { tree, gitTree: await snapshots.snapshotGit(tree) });
  const known = work.activities.findKnownCommits(snapshots.git(tree), last);
  const { gitTree } = between;
  await storeNamedPlaces(work, { tree: between.tree, ...optional({ gitTree }) });
  // Protected places come first: see `findUnseen`.
  const isPlace = (path: string): number => (placeOf(path) === undefined ? 1 : 0);
  const left = snapshots.uncovered(tree);
  const uncovered = left.map(({ path }) => path).toSorted((a, b) => isPlace(a) - isPlace(b));
  return [
    ...between.bodies,
    ...(state.left ? [] : work.activities.reportUnprotected(work, left)),
    {
      type: 'workspace.snapshotted',
      run: runOf(state).id,
      turn: state.turn,
      moment: 'before',
      tree: between.tree,
      gitTree,
      ...(uncovered.length > 0 ? { uncovered: uncovered.slice(0, MAX_UNCOVERED) } : {}),
      ...(known.length > 0 ? { known } : {}),
      ...toUnreverted(between.unreverted),
    },
  ];
}

const EVERY_MS = 1_000;

/** Reports a state that takes longer than a second, every second until it is disposed. The event of the state removes the text. */
function reportProgress({ engine, session }: Work, run: string) {
  const call = toOwnCall('state', run);
  const begun = engine.clock.now();
  let files = 0;
  let offset = 0;
  const stop = engine.clock.every(EVERY_MS, () => {
    if (!engine.store.isWatched()) return;
    const seconds = Math.round((engine.clock.now() - begun) / 1_000);
    const looked = files > 0 ? `, ${files} files` : '';
    const text = `storing the state of the workspace for undo${looked}, ${seconds} s\n`;
    engine.store.emitLive({ type: 'tool.progress', session, call, offset, text }, (raw) => raw);
    offset += text.length;
  });
  return {
    count(seen: number): void {
      files = seen;
    },
    [Symbol.dispose]: stop,
  };
}

/** The repositories after the last turn. New commits may not be the user's if a background process ran since. */
function toLastPositions({ state }: Work, snapshots: Snapshots): LastPositions {
  if (!state.left) return undefined;
  return state.processes.size > 0 || !snapshots.has(state.left.tree) ? 'unknown' : snapshots.git(state.left.tree);
}

/** Undefined if a cancel stops the snapshot, which may take long in a large workspace. */
export async function unlessStopped<T>(work: Work, run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (work.stop.aborted && isKlausError(error) && error.code === 'cancelled') return undefined;
    throw error;
  }
}

/**
 * Takes a snapshot after the last effect of a turn, or before a question, so that later changes of the user do not
 * belong to the turn. If all changed paths are known, only those are read. If a command ran, its changes at protected
 * places without an approval are reverted.
 *
 * @param options.released True: the process gives the session back after it. Default false.
 */
export async function snapshotAfter(work: Work, { released = false } = {}): Promise<void> {
  const { openSnapshot: before, turnEffects } = work.state;
  const { tools } = work.engine;
  if (!before) return;
  const snapshots = await work.snapshots();
  // The run may have ended before.
  using progress = reportProgress(work, before.run);
  // An agent that another program drives changes files by itself, also without a call.
  const isDriven = openedOf(work.state).runner !== undefined;
  const isKnown =
    !isDriven &&
    turnEffects?.isKnown === true &&
    ![...turnEffects.tools].some((name) => tools.find(name)?.effects.includes('execute') ?? true);
  const only = isKnown ? { only: { base: before.tree, paths: [...turnEffects.paths] } } : {};
  const onProgress = (seen: number): void => progress.count(seen);
  // A check that ended last has already taken the snapshot.
  const { after } = work.scanned;
  const scanned = after && after.call === turnEffects?.last?.call ? after.tree : undefined;
  const known = isDriven ? undefined : (work.state.tree ?? scanned);
  const tree = known ?? (await snapshots.snapshot({ ...only, onProgress }));
  const { run, turn } = before;
  const now = { tree, gitTree: await snapshots.snapshotGit(tree) };
  // The gate has judged the changes of edit tools before.
  const guarded = isKnown
    ? { bodies: [], unreverted: [], hidden: work.state.left?.hidden?.slice(), ...now }
    : await work.activities.guardWorkspace(work, { opened: { ...before, uncovered: before.uncovered ?? [] }, ...now });
  const { gitTree } = guarded;
  const authors = await work.activities.findOwnState(work, { opened: before, found: now, guarded });
  await work.append([
    ...guarded.bodies,
    {
      type: 'workspace.snapshotted',
      run,
      turn,
      moment: 'after',
      tree: guarded.tree,
      gitTree,
      ...(guarded.hidden ? { hidden: guarded.hidden } : {}),
      ...(released ? { released } : {}),
      ...authors,
      ...toUnreverted(guarded.unreverted),
    },
  ]);
}

function toUnreverted(paths: readonly string[]): { unreverted?: string[] } {
  return paths.length > 0 ? { unreverted: paths.slice(0, MAX_UNCOVERED) } : {};
}
