import { headOf } from '@klaus/core/cut-text';
import { lstatSync, readlinkSync, type BigIntStats } from 'node:fs';
import { posix } from 'node:path';
import { KlausError } from '@klaus/core/protocol';
import { Directory, type Descriptors } from './directory.ts';
import { codeOf, isRace } from './race-error.ts';

/** Symlinks followed in one path, as Linux itself allows. Source: path_resolution(7). */
const MAX_LINKS = 40;
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4_096;
const MAX_TRIES = 16;

export interface Root {
  /** Absolute real path. */
  path: string;
  /** Other absolute paths of it, such as the one that the user entered. */
  aliases: readonly string[];
  /** Device and inode when the workspace was created. */
  identity: string;
  descriptors: Descriptors;
}

/** A resolved path: a name in an open directory. */
export interface PathEntry {
  /** The nearest existing directory; the entry itself when it is a directory. */
  parent: Directory;
  /** Directories between `parent` and `name` that do not exist. */
  missing: readonly string[];
  /** The last component; '.' when the entry is `parent` itself. */
  name: string;
  /** Relative to the root, every symlink resolved; '' is the root. */
  relative: string;
  absolute: string;
  /** Undefined when nothing exists at the path. Never that of a symlink. */
  stat: BigIntStats | undefined;
  /** True when the last component of the given path is a symlink, which was followed. */
  viaLink: boolean;
  /** Every symlink that was followed, relative to the root. */
  links: readonly string[];
}

/**
 * Resolves a path in the root and calls `use` while the directory is open. Repeats both when the path changes in between.
 *
 * @throws KlausError `workspace.outside`; `workspace.missing` when the root does not exist; `tool.failed` for a path
 *   that is malformed or changes too often.
 */
export async function withEntry<T>(root: Root, path: string, use: (entry: PathEntry) => T | Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const entry = openEntry(root, path);
    try {
      return await use(entry);
    } catch (error) {
      if (!isRace(error)) throw toFailure(error, path);
      if (attempt === MAX_TRIES) throw unstable(path, error);
    } finally {
      entry.parent.close();
    }
  }
}

/** As {@link withEntry}, for a caller that closes `parent` and handles races itself. */
export function openEntry(root: Root, path: string): PathEntry {
  checkSpelling(path);
  for (let attempt = 1; ; attempt++) {
    try {
      return walk(root, path);
    } catch (error) {
      if (!isRace(error)) throw toFailure(error, path);
      if (attempt === MAX_TRIES) throw unstable(path, error);
    }
  }
}

function unstable(path: string, cause: unknown): KlausError {
  return new KlausError('tool.failed', `${shorten(path)} keeps changing, so nothing was done.`, {
    retryable: true,
    cause,
  });
}

/** Resolves a path once. The caller closes `parent`. */
function walk(root: Root, path: string): PathEntry {
  const ancestors = [openRoot(root)];
  const missing: string[] = [];
  const pending = toComponents(root, path);
  if (!pending) throw new OutsideError(path, path);
  let file: { name: string; stat: BigIntStats } | undefined;
  const links: string[] = [];
  let viaLink = false;
  try {
    while (pending.length > 0) {
      const name = pending.shift()!;
      if (name === '' || name === '.') continue;
      if (file) throw new KlausError('tool.failed', `${shorten(path)}: ${file.name} is not a directory.`);
      if (name === '..') {
        if (missing.pop() !== undefined) continue;
        if (ancestors.length === 1) throw new OutsideError(path, toPath(posix.dirname(root.path), pending));
        ancestors.pop()!.close();
        continue;
      }
      const here = ancestors.at(-1)!;
      const stat =
        missing.length > 0 ? undefined : lstatSync(here.child(name), { bigint: true, throwIfNoEntry: false });
      if (!stat) missing.push(name);
      else if (stat.isDirectory()) ancestors.push(here.open(name));
      else if (!stat.isSymbolicLink()) file = { name, stat };
      else {
        links.push(toRelative(root, `${here.absolute === '/' ? '' : here.absolute}/${name}`));
        if (links.length > MAX_LINKS) throw new KlausError('tool.failed', `${shorten(path)}: too many symbolic links.`);
        if (pending.every((rest) => rest === '' || rest === '.')) viaLink = true;
        const target = readlinkSync(here.child(name));
        if (target.startsWith('/')) while (ancestors.length > 1) ancestors.pop()!.close();
        const onward = toComponents(root, target);
        if (!onward) throw new OutsideError(path, toPath(target, pending));
        pending.unshift(...onward);
      }
    }
    const parent = ancestors.pop()!;
    const name = file?.name ?? missing.pop() ?? '.';
    const absolute = name === '.' ? parent.absolute : toPath(parent.absolute, [...missing, name]);
    const stat = name === '.' ? lstatSync(parent.child('.'), { bigint: true }) : file?.stat;
    return { parent, missing, name, relative: toRelative(root, absolute), absolute, stat, viaLink, links };
  } finally {
    for (const directory of ancestors) directory.close();
  }
}

function toRelative(root: Root, absolute: string): string {
  return absolute === root.path ? '' : absolute.slice(root.path === '/' ? 1 : root.path.length + 1);
}

/** Opens the root and verifies that it is the same directory as before. */
export function openRoot(root: Root): Directory {
  let directory: Directory;
  try {
    directory = new Directory(root.path, root.path, root.descriptors);
  } catch (error) {
    throw new KlausError('workspace.missing', `The workspace ${root.path} does not exist any more.`, { cause: error });
  }
  if (directory.identity() === root.identity) return directory;
  directory.close();
  throw new KlausError('workspace.missing', `The workspace ${root.path} was replaced by another directory.`);
}

function toPath(folder: string, names: readonly string[]): string {
  return [folder === '/' ? '' : folder, ...names].join('/') || '/';
}

/** The components of a path relative to the root; undefined for an absolute path outside the root and its aliases. */
function toComponents(root: Root, path: string): string[] | undefined {
  if (!path.startsWith('/')) return path.split('/');
  for (const spelling of [path, posix.normalize(path)]) {
    for (const prefix of [root.path, ...root.aliases]) {
      if (spelling === prefix || prefix === '/') return spelling.slice(prefix.length).split('/');
      if (spelling.startsWith(`${prefix}/`)) return spelling.slice(prefix.length + 1).split('/');
    }
  }
  return undefined;
}

function checkSpelling(path: string): void {
  if (path.includes('\0')) throw new KlausError('tool.failed', 'The path contains a null byte.');
  if (!path.isWellFormed()) throw new KlausError('tool.failed', 'The path is not valid Unicode.');
  if (
    Buffer.byteLength(path) > MAX_PATH_BYTES ||
    path.split('/').some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)
  ) {
    throw new KlausError('tool.failed', `The path is too long: ${shorten(path)}`);
  }
}

/** The error for a path that leaves the root. */
export class OutsideError extends KlausError {
  /** The absolute path outside the root, not resolved further. */
  readonly leadsTo: string;

  constructor(path: string, leadsTo: string) {
    super('workspace.outside', `${shorten(path)} is outside the workspace.`, {
      hint: 'Use a path inside the workspace.',
    });
    this.leadsTo = leadsTo;
  }
}

/** Descriptions of the system's errors. */
export const FAILURES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the filesystem is read-only',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many files are open',
};

/** A readable error for an error of the system, with the given path. */
function toFailure(error: unknown, path: string): unknown {
  const words = FAILURES[codeOf(error)];
  return words ? new KlausError('tool.failed', `${shorten(path)}: ${words}.`, { cause: error }) : error;
}

/** A path for a message: one line, at most 200 characters. */
export function shorten(path: string): string {
  const line = path.replaceAll(/[\n\r\0]/g, '?');
  return line.length > 200 ? `${headOf(line, 200)}…` : line;
}

/** The paths of the parent directories, outermost first; without the root. */
export function toAncestors(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, i) => names.slice(0, i + 1).join('/'));
}

/** The parent of a path; '' is the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function joinNames(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
