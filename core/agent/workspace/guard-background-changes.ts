import type { TreeId } from '../../protocol/index.ts';
import { findArmedPaths } from '../git/guard-git.ts';
import { runOf } from '../state/state.ts';
import type { Work } from '../loop/work.ts';
import { findPlaces } from '../places/guard-places.ts';
import type { GitGuarded } from './guarded.ts';
import { listNames } from './unreverted-places.ts';

/**
 * Checks what background processes changed at protected places, and in git's own data, since the last turn with
 * effects. Changes within a run are repaired like those of a command. Between two runs the user may have made them, so
 * that they are only reported.
 *
 * @param now The workspace and its git data now.
 */
export async function guardBackgroundChanges(
  work: Work,
  now: { tree: TreeId; gitTree: TreeId | undefined },
): Promise<GitGuarded> {
  const { state } = work;
  const nothing: GitGuarded = { bodies: [], unreverted: [], ...now };
  const { left } = state;
  if (!left || state.processes.size === 0 || (left.tree === now.tree && left.gitTree === now.gitTree)) return nothing;
  const run = runOf(state).id;
  const opened = { ...left, turn: state.turn };
  if (left.run === run) return work.activities.guardWorkspace(work, { opened, ...now });
  const snapshots = await work.snapshots();
  const places = await findPlaces(work, { before: left, after: now.tree });
  const armed = await findArmedPaths(snapshots, { opened, ...now });
  const names = [...new Set([...places.map(({ path }) => path), ...armed])];
  if (names.length === 0) return nothing;
  const text = `While a background process of this session may have been at work, ${listNames(names)} changed. Check it before you use it.`;
  return { ...nothing, bodies: [{ type: 'notice', run, level: 'warn', text }] };
}
