import { guardCarried } from '../carried/guard-carried.ts';
import { findCarried } from '../carried/find-carried.ts';
import { guardGit } from '../git/guard-git.ts';
import type { Work } from '../loop/work.ts';
import { findTurnPlaces, guardPlaces } from '../places/guard-places.ts';
import type { GitGuarded, GuardInput } from './guarded.ts';

/**
 * Repairs changes of commands at places that they must not change: git's own data first, then content at protected places
 * that this data names, then these places in the workspace.
 */
export async function guardWorkspace(work: Work, input: GuardInput): Promise<GitGuarded> {
  const { opened } = input;
  const git = await guardGit(work, input);
  const rows = await findTurnPlaces(work, { opened, after: git.tree });
  const given = { opened, tree: git.tree, gitTree: git.gitTree, rows };
  // The same question was answered for the result of the last call.
  const known = work.scanned.after;
  const isKnown = known?.carried !== undefined && known.tree === git.tree && known.gitTree === git.gitTree;
  const carried = isKnown ? known.carried! : await findCarried(work, given);
  const places = await guardPlaces(work, { opened, after: git.tree, rows, found: carried.found });
  const guarded = await guardCarried(work, carried, { ...given, tree: places.tree, reverted: places.steps });
  return {
    bodies: [...git.bodies, ...(guarded.isKept ? [] : places.bodies), ...guarded.bodies],
    tree: guarded.tree,
    gitTree: guarded.gitTree,
    unreverted: [...git.unreverted, ...places.unreverted, ...guarded.unreverted],
    hidden: guarded.hidden,
  };
}
