import type { TreeId } from '../../protocol/index.ts';
import { findArmedPaths, type GitGuarded } from '../git/guard-git.ts';
import { guardWorkspace } from './guard-workspace.ts';
import { findPlaces } from '../places/guard-places.ts';
import { list } from './unreverted.ts';
import { runOf } from '../loop/state.ts';
import type { Work } from '../loop/work.ts';

/**
 * Looks at what background processes changed at protected places, and in git's own data, since the last turn with
 * effects. In the same run it is repaired as what a command changes. Between two runs the user may have changed it, who
 * is warned.
 *
 * @param now The workspace and its git data now.
 */
export async function guardBetween(
  work: Work,
  now: { tree: TreeId; gitTree: TreeId | undefined },
): Promise<GitGuarded> {
  const { state, engine } = work;
  const nothing: GitGuarded = { bodies: [], unreverted: [], ...now };
  const { left } = state;
  if (!left || state.processes.size === 0 || (left.tree === now.tree && left.gitTree === now.gitTree)) return nothing;
  const run = runOf(state).id;
  const opened = { ...left, turn: state.turn };
  if (left.run === run) return await guardWorkspace(work, { opened, ...now });
  if (engine.recorded) return { ...engine.recorded.guarded(), ...now };
  const snapshots = await work.snapshots();
  const places = await findPlaces(snapshots, { before: left, after: now.tree });
  const armed = await findArmedPaths(snapshots, { opened, ...now });
  const names = [...new Set([...places.map(({ path }) => path), ...armed])];
  if (names.length === 0) return nothing;
  const text = `While a background process of this session may have been at work, ${list(names)} changed. Look at it before you use it.`;
  return { ...nothing, bodies: [{ type: 'notice', run, level: 'warn', text }] };
}
