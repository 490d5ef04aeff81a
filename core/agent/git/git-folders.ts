import type { TreeEntry, TreeId } from '../../protocol/index.ts';
import { resolveInside } from '../places/resolve-inside.ts';
import type { Snapshots } from '../ports/snapshots.ts';

/** A file of a git folder that can make git run programs. */
export interface ArmingFile {
  /** The git folder, relative to the workspace. */
  folder: string;
  kind: 'config' | 'commondir' | 'hook' | 'attributes' | 'todo' | 'indirection' | 'exclude' | 'patch' | 'record';
}

/** Names that make a folder a git folder. */
const MARKS: ReadonlySet<string> = new Set(['HEAD', 'objects', 'refs', 'commondir']);

/** The kinds of git file that a path may be according to its name, for each folder that may be the git folder. */
export function toArmingFiles(path: string): ArmingFile[] {
  const names = path.split('/');
  const folder = names.slice(0, -1).join('/');
  const name = names.at(-1)!;
  if (name === 'config' || name === 'config.worktree') return [{ folder, kind: 'config' }];
  if (name === 'git-rebase-todo' && names.at(-2) === 'rebase-merge')
    return [{ folder: names.slice(0, -2).join('/'), kind: 'todo' }];
  if (name === 'commondir') return [{ folder, kind: 'commondir' }];
  if (name === 'attributes' && names.at(-2) === 'info')
    return [{ folder: names.slice(0, -2).join('/'), kind: 'attributes' }];
  if (names.at(-2) === 'info' && (name === 'grafts' || name === 'exclude'))
    return [{ folder: names.slice(0, -2).join('/'), kind: name === 'grafts' ? 'indirection' : 'exclude' }];
  if (names.at(-2) === 'remotes' || names.at(-2) === 'branches')
    return [{ folder: names.slice(0, -2).join('/'), kind: 'attributes' }];
  if (names.at(-2) === 'rebase-apply' && /^(?:\d+|patch)$/.test(name))
    return [{ folder: names.slice(0, -2).join('/'), kind: 'patch' }];
  if (name === 'MERGE_RR') return [{ folder, kind: 'attributes' }];
  const records = names.lastIndexOf('rr-cache');
  if (records > 0) return [{ folder: names.slice(0, records).join('/'), kind: 'record' }];
  if (name === 'shallow') return [{ folder, kind: 'indirection' }];
  const refs = names.findLastIndex((each, at) => each === 'refs' && names[at + 1] === 'replace');
  if (refs > 0) return [{ folder: names.slice(0, refs).join('/'), kind: 'indirection' }];
  return names.flatMap((each, at): ArmingFile[] =>
    each === 'hooks' && at > 0 ? [{ folder: names.slice(0, at).join('/'), kind: 'hook' }] : [],
  );
}

/** The folder that a path may turn into a git folder; undefined for other names. */
export function toMarkedFolder(path: string): string | undefined {
  const names = path.split('/');
  return names.length > 1 && MARKS.has(names.at(-1)!) ? names.slice(0, -1).join('/') : undefined;
}

/**
 * True where git finds a git folder. A branch may have the name of a configuration file, so of what lies below `refs`
 * and `logs` only what looks like a git folder counts.
 *
 * @param state A state of git's own data, where objects are not held, or of the workspace.
 */
export async function isGitFolder(snapshots: Snapshots, state: TreeId | undefined, folder: string): Promise<boolean> {
  if (state === undefined) return false;
  const has = async (name: string): Promise<TreeEntry | undefined> => snapshots.entry(state, `${folder}/${name}`);
  const names = folder.split('/');
  if (names.includes('.git')) {
    const isPlain = !names.includes('refs') && !names.includes('logs');
    const isThere = (await snapshots.entry(state, folder))?.type === 'directory';
    return isThere && (isPlain || (await has('HEAD')) !== undefined || (await has('commondir')) !== undefined);
  }
  const hasStore = (await has('objects')) !== undefined && (await has('refs')) !== undefined;
  return hasStore || ((await has('HEAD')) !== undefined && (await has('commondir')) !== undefined);
}

/** True for a `.git` file that names a git folder inside the workspace. @param path Its relative path. */
export function isInnerGitFile(path: string, text: string): boolean {
  const [, target] = /^gitdir: (.+?)\r?\n?$/.exec(text) ?? [];
  if (target === undefined || target.startsWith('/')) return false;
  return resolveInside(path.split('/').slice(0, -1).join('/'), target) !== undefined;
}
