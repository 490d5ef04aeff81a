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

/** Targets of symlinks at protected places and in hooks, and files that git's configuration includes or runs. */
export async function findLinkedPlaces(
  snapshots: Snapshots,
  { tree, gitTree }: WorkspaceState,
): Promise<readonly string[]> {
  const found = new Set<string>();
  const follow = async (path: string, entry: TreeEntry): Promise<void> => {
    for (const step of await followLink(snapshots, { path, entry, tree }))
      if (placeOf(step) === undefined) found.add(step);
  };
  for (const { path, entry } of await snapshots.links(tree)) if (placeOf(path) !== undefined) await follow(path, entry);
  if (gitTree === undefined) return [...found];
  for (const { path, entry } of await snapshots.links(gitTree)) await follow(path, entry);
  for (const { path: top } of snapshots.git(tree)) {
    for (const name of ['config', 'config.worktree']) {
      const text = await readTextAt(snapshots, gitTree, joinPath(top, `.git/${name}`));
      for (const path of await findNamed(snapshots, { tree, top, text: text ?? '' })) found.add(path);
    }
  }
  return [...found].filter((path) => placeOf(path) === undefined);
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

/** All paths in the workspace to which a symlink leads, also through links to folders. */
async function followLink(
  snapshots: Snapshots,
  { path, entry, tree }: { path: string; entry: TreeEntry; tree: TreeId },
): Promise<string[]> {
  const steps: string[] = [];
  let next = await toTarget(snapshots, { path, entry, rest: [] });
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
  if (entry.size > MAX_TARGET) return undefined;
  const target = new TextDecoder().decode(await snapshots.content(entry));
  const folder = path.split('/').slice(0, -1).join('/');
  return target.startsWith('/') ? undefined : resolveInside(folder, [target, ...rest].join('/'));
}
