import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { KlausError } from '@klaus/core/protocol';

export interface ProjectFile {
  /** As found, for messages. */
  path: string;
  /** Every symlink resolved. */
  real: string;
}

/**
 * The nearest `.klaus/config.yaml` from `cwd` up to the repository's root, the folder that holds `.git`;
 * outside a repository only that of `cwd`. What is above may belong to somebody else.
 *
 * @param own The user's own file, which is no project file even where the home folder is a repository.
 * @throws KlausError `config` when the file is a link to outside the repository: its errors would tell what stands there.
 */
export async function findProjectFile(cwd: string, own: string): Promise<ProjectFile | undefined> {
  const first = await findProjectFiles({ cwd, own, name: 'config.yaml' }).next();
  return first.done ? undefined : first.value;
}

/**
 * Every file of that name in a `.klaus` folder from `cwd` up to the repository's root, the nearest first.
 *
 * @param options.own The user's own file; see {@link findProjectFile}.
 * @throws KlausError `config` for a link to outside the repository or to nothing, and for a file that cannot be reached.
 */
export async function* findProjectFiles(options: {
  cwd: string;
  own: string;
  name: string;
}): AsyncGenerator<ProjectFile, void, undefined> {
  const root = await toRealPath(await findRoot(options.cwd));
  const start = await toRealPath(options.cwd);
  if (root === undefined || start === undefined) return;
  const ownReal = await toRealPath(options.own);
  for (const folder of toParents(start, root)) {
    const path = join(folder, '.klaus', options.name);
    const real = await toFilePath(path);
    if (real === undefined || real === ownReal) continue;
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) {
      throw new KlausError('config', `${path} leads outside the repository`, { hint: 'Make it a file of its own.' });
    }
    yield { path, real };
  }
}

/** The folder at or above `cwd` that holds `.git` (a folder, or a file in a worktree); `cwd` when there is none. */
async function findRoot(cwd: string): Promise<string> {
  const start = (await toRealPath(cwd)) ?? cwd;
  for (const folder of toParents(start)) {
    if (await exists(join(folder, '.git'))) return folder;
  }
  return start;
}

/** `from`, its parent, and so on up to `last` or the top. */
function toParents(from: string, last?: string): string[] {
  const parents = [from];
  for (let at = from; at !== last && at !== dirname(at); at = dirname(at)) parents.push(dirname(at));
  return parents;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Undefined when nothing is there. What cannot be looked at may be what holds something back. */
async function toFilePath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isAbsent = code === 'ENOENT' || code === 'ENOTDIR';
    if (isAbsent && !(await lstat(path).catch(() => undefined))) return undefined;
    const why = isAbsent ? 'leads to nothing' : `cannot be read: ${code}`;
    throw new KlausError('config', `${path} ${why}`, { hint: 'Mend it or remove it.', cause: error });
  }
}

/** Undefined when nothing is there. */
async function toRealPath(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}
