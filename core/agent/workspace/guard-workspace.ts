import { guardGit } from '../git/guard-git.ts';
import type { Work } from '../loop/work.ts';
import { guardPlaces } from '../places/guard-places.ts';
import type { GitGuarded, GuardInput } from './guarded.ts';

/** Repairs changes of commands at places that they must not change: git's own data first, then protected places. */
export async function guardWorkspace(work: Work, input: GuardInput): Promise<GitGuarded> {
  const git = await guardGit(work, input);
  const places = await guardPlaces(work, { opened: input.opened, after: git.tree });
  return {
    bodies: [...git.bodies, ...places.bodies],
    tree: places.tree,
    gitTree: git.gitTree,
    unreverted: [...git.unreverted, ...places.unreverted],
  };
}
