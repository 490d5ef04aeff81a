import { lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readForeignFileSync } from '@klaus/adapters/system';
import { contains, toRealPath } from '../paths.ts';
import { readFolderNames } from './folder-names.ts';

/** A path at which git would find a repository. */
export interface Repository {
  /** Path of `.git`, or of a folder that is laid out like one. */
  path: string;
  /** `file` and `link` point to another folder; `bare` is a git folder that is not named `.git`. */
  kind: 'folder' | 'file' | 'link' | 'bare';
  /** The git folder with `config` and `hooks`; undefined when there is none inside the workspace. */
  folder?: string;
  /** Differs when another repository replaces this one at the same path. It starts with {@link toIdentity}. */
  identity: string;
}

/** Limits of the search, which is breadth-first. */
const MAX_FOLDERS = 600;
const MAX_DEPTH = 6;
/** Large folders without work of the user. */
const SKIPPED = new Set(['node_modules', '.venv', 'target', '__pycache__']);

export interface RepositorySearch {
  /** Parents before children. */
  repositories: Repository[];
  /** False when the search reached {@link MAX_FOLDERS}. */
  isComplete: boolean;
}

/**
 * Repositories in and below a folder, within the limits. `hidden` is skipped, because no command sees it.
 *
 * @param isDeep True: without limits, also in folders without work of the user. Default false.
 */
export function findRepositories(root: string, hidden?: string, isDeep = false): RepositorySearch {
  const found: Repository[] = [];
  const queue = [{ folder: root, depth: 0 }];
  for (let at = 0; at < queue.length && (isDeep || at < MAX_FOLDERS); at++) {
    const { folder, depth } = queue[at]!;
    const { folders, git, isBare } = readFolderNames(folder);
    if (isBare) {
      found.push({ path: folder, kind: 'bare', folder, identity: toIdentity(folder) });
      if (depth > 0) continue;
    }
    for (const { name, kind } of git) found.push(toRepository(join(folder, name), kind, root));
    if (depth === MAX_DEPTH && !isDeep) continue;
    for (const name of folders) {
      const path = join(folder, name);
      if (path !== hidden && (isDeep || !SKIPPED.has(name))) queue.push({ folder: path, depth: depth + 1 });
    }
  }
  return { repositories: found, isComplete: queue.length <= MAX_FOLDERS };
}

function toRepository(path: string, kind: 'folder' | 'file' | 'link', root: string): Repository {
  if (kind === 'folder') return { path, kind, folder: path, identity: toIdentity(path) };
  const target = kind === 'link' ? toRealPath(path) : readGitFile(path);
  const folder = target !== undefined && contains(root, target) ? target : undefined;
  return { path, kind, identity: `${toIdentity(path)} ${target}`, ...(folder ? { folder } : {}) };
}

/** The folder that a `.git` file names; undefined when it names none that exists. */
export function readGitFile(path: string): string | undefined {
  try {
    const [, target] = /^gitdir: (.+?)\r?\n?$/.exec(readForeignFileSync(path, { max: 4_096 }).text) ?? [];
    return target === undefined ? undefined : toRealPath(resolve(dirname(path), target));
  } catch {
    return undefined;
  }
}

/** Identifies a file or folder, also after it was renamed; '' if it does not exist. */
export function toIdentity(path: string): string {
  try {
    const { dev, ino } = lstatSync(path);
    return `${dev}:${ino}`;
  } catch {
    return '';
  }
}
