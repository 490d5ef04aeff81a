import type { TreeId } from '../../protocol/index.ts';
import { findPlaces, guardPlaces, type Guarded } from './guard-places.ts';
import { list } from '../unreverted.ts';
import { runOf } from '../state.ts';
import type { Work } from '../work.ts';

/**
 * Looks at what background processes changed at protected places since the last turn with effects. In the same run it is
 * reverted as what a command changes. Between two runs the user may have changed it, who is warned.
 *
 * @param tree The workspace now.
 */
export async function guardBetween(work: Work, tree: TreeId): Promise<Guarded> {
  const { state, engine } = work;
  const nothing: Guarded = { bodies: [], tree, unreverted: [] };
  const { left } = state;
  if (!left || left.tree === tree || state.processes.size === 0) return nothing;
  const run = runOf(state).id;
  if (left.run === run) return await guardPlaces(work, { opened: { ...left, turn: state.turn }, after: tree });
  if (engine.recorded) return { ...engine.recorded.guarded(), tree };
  const names = (await findPlaces(await work.snapshots(), { before: left.tree, after: tree })).map(({ path }) => path);
  if (names.length === 0) return nothing;
  const text = `While a background process of this session may have been at work, ${list(names)} changed. Look at it before you use it.`;
  return { ...nothing, bodies: [{ type: 'notice', run, level: 'warn', text }] };
}
