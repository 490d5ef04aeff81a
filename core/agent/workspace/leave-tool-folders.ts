import { TOOL_MARKERS } from '../../policy/index.ts';
import type { TreeChange, TreeId } from '../../protocol/index.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import type { RestorePlan } from './plan-restore.ts';
import { findRebuildCommand, type HasPath } from './rebuild-command.ts';

/** A folder of a tool, or a file, that a restore leaves as it is, because not all content for it is stored. */
export interface NotRestored {
  path: string;
  /** The command that rebuilds it, to be run in the workspace. Absent: the tool that made it does so. */
  command?: string;
}

/**
 * Takes folders of tools out of a plan if content that their rows would need, also to redo them, is not stored. Each folder
 * is restored completely or not at all.
 *
 * @param states The states of the plan.
 */
export async function leaveToolFolders(
  snapshots: Snapshots,
  plan: RestorePlan,
  states: readonly TreeId[],
): Promise<{ plan: RestorePlan; notRestored: NotRestored[] }> {
  const stored = states.filter((state) => snapshots.has(state));
  const rows = [...plan.changes, ...plan.all.changes, ...plan.unclear];
  const isMissing = ({ path, before, after }: TreeChange): boolean =>
    [before, after].some((entry) => entry !== null && !snapshots.isStored(entry, path));
  const missing = new Set(rows.filter(isMissing).map(({ path }) => path));
  if (missing.size === 0) return { plan, notRestored: [] };
  const has: HasPath = async (path) => {
    for (const state of stored) if (await snapshots.entry(state, path)) return true;
    return false;
  };
  const repositories = new Set(stored.flatMap((state) => snapshots.git(state).map(({ path }) => path)));
  const folders = new Map(snapshots.toolFolders().map(({ path, isActive }) => [path, isActive]));
  const left = new Set<string>();
  for (const path of missing)
    left.add(findFolder(path, folders, repositories) ?? (await findMarked(path, { has, repositories })) ?? path);
  const isLeft = (path: string): boolean => findWithin(path, left, repositories) !== undefined;
  // A folder that stays needs those above it.
  const needed = new Set(rows.flatMap(({ path, before }) => (before && isLeft(path) ? toParents(path) : [])));
  const isKept = ({ path, after }: { path: string; after?: TreeChange['after'] }): boolean =>
    !isLeft(path) && !(needed.has(path) && after !== undefined && after?.type !== 'directory');
  const changes = plan.changes.filter(isKept);
  const kept = new Set(plan.all.changes.filter(isKept).map(({ path }) => path));
  const isOpen = ({ path }: { path: string }): boolean => !isLeft(path) && (kept.has(path) || !needed.has(path));
  const notRestored: NotRestored[] = [];
  for (const path of [...left].toSorted()) {
    const command = missing.has(path) ? undefined : await findRebuildCommand(path, has);
    notRestored.push({ path, ...(command === undefined ? {} : { command }) });
  }
  return {
    plan: {
      ...plan,
      changes,
      foreign: plan.foreign.filter(isOpen),
      unclear: plan.unclear.filter(isKept),
      all: { changes: plan.all.changes.filter(isKept), foreign: plan.all.foreign.filter(isOpen) },
    },
    notRestored,
  };
}

/** The outermost folder of a tool that contains a path and is still one, else one that was. */
function findFolder(
  path: string,
  folders: ReadonlyMap<string, boolean>,
  repositories: ReadonlySet<string>,
): string | undefined {
  const active = new Set([...folders].flatMap(([folder, isActive]) => (isActive ? [folder] : [])));
  return findWithin(path, active, repositories) ?? findWithin(path, new Set(folders.keys()), repositories);
}

/** The outermost of some folders that contains a path, or is it. What is in a repository inside the folder does not count. */
function findWithin(path: string, folders: ReadonlySet<string>, repositories: ReadonlySet<string>): string | undefined {
  if (folders.size === 0) return undefined;
  let found: string | undefined;
  for (const at of [...toParents(path), path]) {
    if (found !== undefined && repositories.has(at)) found = undefined;
    else if (found === undefined && folders.has(at)) found = at;
  }
  return found;
}

/** The nearest folder with a marker: states of another machine do not say which folders are those of tools. */
async function findMarked(
  path: string,
  { has, repositories }: { has: HasPath; repositories: ReadonlySet<string> },
): Promise<string | undefined> {
  for (const folder of toParents(path).toReversed()) {
    if (repositories.has(folder)) return undefined;
    const name = folder.slice(folder.lastIndexOf('/') + 1);
    for (const [marker, of] of TOOL_MARKERS)
      if ((of === undefined || of === name) && (await has(`${folder}/${marker}`))) return folder;
  }
  return undefined;
}

/** The folders above a path, outermost first. */
function toParents(path: string): string[] {
  const parents: string[] = [];
  for (let at = path.indexOf('/', 1); at > 0; at = path.indexOf('/', at + 1)) parents.push(path.slice(0, at));
  return parents;
}
