import { placeOf } from '../../policy/index.ts';
import type { TreeEntry, TreeId } from '../../protocol/index.ts';
import { readTextAt } from '../git/git-text.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { joinPath, resolveInside } from './resolve-inside.ts';

/** The workspace and its git data before a turn. */
export interface WorkspaceState {
  tree: TreeId;
  gitTree?: TreeId;
}

/** Maximum symlinks that are followed one after another. */
const MAX_HOPS = 16;
/** Maximum bytes of a symlink's target. */
const MAX_TARGET = 4_096;
/** Git settings that name a file to read or a folder with programs to run. */
const PATH_SETTING = /^\s*(path|hookspath)\s*=\s*(.+?)\s*$/i;
const SETTING = /^\s*[a-z][a-z0-9-]*\s*=\s*(.+?)\s*$/i;

/**
 * Paths that are protected because others name them: files that git's configuration includes or runs, and targets of
 * symlinks there, at protected places and in hooks.
 *
 * @param further Paths that are named elsewhere; they are returned too.
 */
export async function findLinkedPlaces(
  snapshots: Snapshots,
  { tree, gitTree }: WorkspaceState,
  further: readonly string[],
): Promise<readonly string[]> {
  const found = new Set(further);
  for (const { path: top } of gitTree === undefined ? [] : snapshots.git(tree)) {
    for (const name of ['config', 'config.worktree']) {
      const text = await readTextAt(snapshots, gitTree!, joinPath(top, `.git/${name}`));
      for (const path of await findNamed(snapshots, { tree, top, text: text ?? '' })) found.add(path);
    }
  }
  for (const path of [...found]) for (const step of await followPath(snapshots, tree, path)) found.add(step);
  const isNamed = (path: string): boolean => isBelowAny(path, found) || placeOf(path) !== undefined;
  const links = [...(await snapshots.links(tree)).filter(({ path }) => isNamed(path))];
  if (gitTree !== undefined) links.push(...(await snapshots.links(gitTree)));
  for (const { path, entry } of links) {
    const target = await toTarget(snapshots, { path, entry, rest: [] });
    for (const step of await followPath(snapshots, tree, target)) found.add(step);
  }
  return [...found].filter((path) => placeOf(path) === undefined);
}

function isBelowAny(path: string, places: ReadonlySet<string>): boolean {
  for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1)) if (places.has(path.slice(0, at))) return true;
  return false;
}

/** Paths in the workspace that a git configuration names. */
async function findNamed(
  snapshots: Snapshots,
  { tree, top, text }: { tree: TreeId; top: string; text: string },
): Promise<string[]> {
  const found: string[] = [];
  const add = (base: string, word: string): string | undefined =>
    word.startsWith('/') ? undefined : resolveInside(base, word) || undefined;
  for (const line of text.split('\n')) {
    const [, key, path] = PATH_SETTING.exec(line) ?? [];
    if (key !== undefined) {
      // Includes are relative to the file that names them, hooks to the top of the working tree.
      const named = add(key.toLowerCase() === 'path' ? joinPath(top, '.git') : top, path!.replaceAll('"', ''));
      if (named !== undefined) found.push(named);
      continue;
    }
    for (const word of (SETTING.exec(line)?.[1] ?? '').split(/[\s"';|&(){}<>=\\]+/)) {
      const named = word === '' ? undefined : add(top, word);
      if (named !== undefined && (await snapshots.entry(tree, named))?.type === 'file') found.push(named);
    }
  }
  return found;
}

/** A path in the workspace and all to which it leads by symlinks, also through links to folders. */
async function followPath(snapshots: Snapshots, tree: TreeId, path: string | undefined): Promise<string[]> {
  const steps: string[] = [];
  let next = path;
  while (next !== undefined && next !== '' && !steps.includes(next) && steps.length < MAX_HOPS) {
    steps.push(next);
    next = await findNext(snapshots, tree, next);
  }
  return steps;
}

/** The target of the first symlink in a path; undefined without one. */
async function findNext(snapshots: Snapshots, tree: TreeId, path: string): Promise<string | undefined> {
  const parts = path.split('/');
  for (let length = 1; length <= parts.length; length++) {
    const head = parts.slice(0, length).join('/');
    const entry = await snapshots.entry(tree, head);
    if (!entry) return undefined;
    if (entry.type === 'symlink') return toTarget(snapshots, { path: head, entry, rest: parts.slice(length) });
  }
  return undefined;
}

async function toTarget(
  snapshots: Snapshots,
  { path, entry, rest }: { path: string; entry: TreeEntry; rest: readonly string[] },
): Promise<string | undefined> {
  if (entry.size > MAX_TARGET || !snapshots.isStored(entry)) return undefined;
  const target = new TextDecoder().decode(await snapshots.content(entry));
  const folder = path.split('/').slice(0, -1).join('/');
  return target.startsWith('/') ? undefined : resolveInside(folder, [target, ...rest].join('/'));
}
