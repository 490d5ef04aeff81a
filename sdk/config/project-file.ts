import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { KlausError } from '@klaus/core/protocol';
import { orUndefined } from '../or-undefined.ts';

export interface ProjectFile {
  /** The path as found, for messages. */
  path: string;
  /** The path with all symlinks resolved. */
  real: string;
}

/**
 * The nearest `.klaus/config.yaml` from `cwd` up to the repository's root, the folder that holds `.git`;
 * outside a repository only that of `cwd`. Folders above may belong to another user.
 *
 * @param own The user's own file, which is no project file even if the home folder is a repository.
 * @throws KlausError `config` when the file is a link to outside the repository, because errors would reveal its content.
 */
export function findProjectFile(cwd: string, own: string): ProjectFile | undefined {
  const first = findProjectFiles({ cwd, own, name: 'config.yaml' }).next();
  return first.done ? undefined : first.value;
}

/**
 * Every file of that name in a `.klaus` folder from `cwd` up to the repository's root, the nearest first.
 *
 * @param options.own The user's own file; see {@link findProjectFile}.
 * @throws KlausError `config` for a link to outside the repository or to nothing, and for a file that cannot be reached.
 */
export function* findProjectFiles(options: {
  cwd: string;
  own: string;
  name: string;
}): Generator<ProjectFile, void, undefined> {
  const root = toRealPath(findRoot(options.cwd));
  const start = toRealPath(options.cwd);
  if (root === undefined || start === undefined) return;
  const ownReal = toRealPath(options.own);
  for (const folder of toParents(start, root)) {
    const path = join(folder, '.klaus', options.name);
    const real = toFilePath(path);
    if (real === undefined || real === ownReal) continue;
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) {
      throw new KlausError('config', `${path} is a link to outside the repository`, {
        hint: 'Replace the link by a file.',
      });
    }
    yield { path, real };
  }
}

/** The folder at or above `cwd` that holds `.git` (a folder, or a file in a worktree); `cwd` when there is none. */
function findRoot(cwd: string): string {
  const start = toRealPath(cwd) ?? cwd;
  for (const folder of toParents(start)) {
    if (existsSync(join(folder, '.git'))) return folder;
  }
  return start;
}

/** `from`, its parent, and so on up to `last` or the top. */
function toParents(from: string, last?: string): string[] {
  const parents = [from];
  for (let at = from; at !== last && at !== dirname(at); at = dirname(at)) parents.push(dirname(at));
  return parents;
}

/** Undefined when the file does not exist. An unreadable file is an error, because it may restrict something. */
function toFilePath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isAbsent = code === 'ENOENT' || code === 'ENOTDIR';
    if (isAbsent && !orUndefined(() => lstatSync(path, { throwIfNoEntry: false }))) return undefined;
    const why = isAbsent ? 'is a broken link' : `cannot be read: ${code}`;
    throw new KlausError('config', `${path} ${why}`, { hint: 'Fix or remove it.', cause: error });
  }
}

/** Undefined when the path does not exist. */
function toRealPath(path: string): string | undefined {
  return orUndefined(() => realpathSync.native(path));
}
