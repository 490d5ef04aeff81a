import { guardGit, type GitGuarded, type GuardInput } from '../git/guard-git.ts';
import { guardPlaces } from '../places/guard-places.ts';
import type { Work } from '../loop/work.ts';

/**
 * Repairs what commands did to places that are not theirs: git's own data first, then protected places.
 *
 * @param input.opened The state before; `uncovered`: what it does not hold, where that is known.
 */
export async function guardWorkspace(
  work: Work,
  input: GuardInput & { opened: { uncovered?: string[] } },
): Promise<GitGuarded> {
  const { opened, ...after } = input;
  if (work.engine.recorded) return { ...work.engine.recorded.guarded(), ...after };
  const git = await guardGit(work, input);
  const places = await guardPlaces(work, { opened, after: git.tree });
  return {
    bodies: [...git.bodies, ...places.bodies],
    tree: places.tree,
    gitTree: git.gitTree,
    unreverted: [...git.unreverted, ...places.unreverted],
  };
}
