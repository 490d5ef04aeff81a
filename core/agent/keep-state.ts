import type { EventBody, EventOf, TreeId } from '../protocol/index.ts';
import { isKlausError, isReadOnly } from '../protocol/index.ts';
import { guardGit, type Guarded } from './git/guard-git.ts';
import { guardPlaces } from './guard-places.ts';
import type { Tool } from './ports/tool.ts';
import { openedOf, runOf } from './state.ts';
import type { Work } from './work.ts';

/** Paths that a state does not hold and that the log names. */
const MAX_UNCOVERED = 20;

/**
 * The state of the workspace before the first effect of a turn, to be appended with the intent of that effect.
 *
 * @returns Undefined when it was told to stop meanwhile: no effect may begin then.
 */
export async function keepBefore(work: Work, tools: readonly Tool<unknown>[]): Promise<EventBody[] | undefined> {
  return tools.every((tool) => isReadOnly(tool.effects)) ? [] : await keepState(work);
}

/** The state of the workspace before an effect, where none of this turn's is open. Undefined: see {@link keepBefore}. */
export async function keepState(work: Work): Promise<EventBody[] | undefined> {
  const { state } = work;
  if (openedOf(state).snapshots === false || state.openSnapshot) return [];
  const snapshots = await work.snapshots();
  const tree = await unlessStopped(work, () => snapshots.snapshot({ signal: work.stop }));
  if (tree === undefined) return undefined;
  const gitTree = await snapshots.snapshotGit(tree);
  const uncovered = snapshots.uncovered(tree).map(({ path }) => path);
  return [
    {
      type: 'workspace.snapshotted',
      run: runOf(state).id,
      turn: state.turn,
      moment: 'before',
      tree,
      ...(gitTree === undefined ? {} : { gitTree }),
      ...(uncovered.length > 0 ? { uncovered: uncovered.slice(0, MAX_UNCOVERED) } : {}),
    },
  ];
}

/** The first look at a large workspace takes a while, and a cancel ends it. */
async function unlessStopped<T>(work: Work, look: () => Promise<T>): Promise<T | undefined> {
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
 * at; where a command ran, what it changed at protected places without a human's word is taken back.
 */
export async function keepAfter(work: Work): Promise<void> {
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
  const guarded = await guard(work, before, { tree, gitTree: await snapshots.snapshotGit(tree), isKnown });
  const { gitTree } = guarded;
  await work.append([
    ...guarded.bodies,
    {
      type: 'workspace.snapshotted',
      run,
      turn,
      moment: 'after',
      tree: guarded.tree,
      ...(gitTree === undefined ? {} : { gitTree }),
    },
  ]);
}

/** Repairs what commands did to places that are not theirs. The edit tools have asked before. */
async function guard(
  work: Work,
  opened: EventOf<'workspace.snapshotted'>,
  { isKnown, ...after }: { tree: TreeId; gitTree: TreeId | undefined; isKnown: boolean },
): Promise<Guarded> {
  if (isKnown) return { bodies: [], ...after };
  if (work.engine.recorded) return { bodies: work.engine.recorded.guarded(), ...after };
  const git = await guardGit(work, { opened, ...after });
  const places = await guardPlaces(work, { opened, after: git.tree });
  return { bodies: [...git.bodies, ...places.bodies], tree: places.tree, gitTree: git.gitTree };
}
