import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, join, normalize, relative } from 'node:path';
import type { ExecRequest } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';

/** True when `child` is `parent` or lies below it. Both are absolute; symlinks are not resolved. */
export function contains(parent: string, child: string): boolean {
  // Fast path, because this is called thousands of times and `relative` parses both paths.
  if (isClean(parent) && isClean(child))
    return child.startsWith(parent) && (child.length === parent.length || child[parent.length] === '/');
  const inside = relative(parent, child);
  return inside === '' || !(inside === '..' || inside.startsWith('../'));
}

/** No `//`, `.` or `..`, and no slash at the end. */
function isClean(path: string): boolean {
  return path[0] === '/' && !/\/(?:\.{0,2}(?:\/|$))/.test(path);
}

/** @throws KlausError `workspace.outside` when the folder is not in the workspace. */
export function toWorkingFolder(request: ExecRequest, workspace: string): string {
  const cwd = normalize(request.cwd ?? workspace);
  if (!isAbsolute(cwd) || !contains(workspace, cwd)) {
    throw new KlausError('workspace.outside', `The working folder ${cwd} is outside the workspace ${workspace}.`);
  }
  return cwd;
}

/** @throws KlausError `sandbox.failed` for a request that would show Klaus's own state, which is in `home`. Its skills and scripts of hooks can be read. */
export function checkShown({ binds = [], readable = [] }: Pick<ExecRequest, 'binds' | 'readable'>, home: string): void {
  const shown = ['skills', 'hooks'].map((name) => join(home, name));
  for (const path of [...readable, ...binds.map((bind) => bind.path)]) {
    const real = existsSync(path) ? realpathSync.native(path) : path;
    if (contains(home, real) && !(readable.includes(path) && shown.some((folder) => contains(folder, real))))
      throw new KlausError('sandbox.failed', `${path} is Klaus's own state, which commands cannot see.`);
  }
}

/** Bash without the files and variables that change it: `-p` also ignores `BASH_ENV` and functions of the environment. */
const AS_BASH =
  'for shell in /bin/bash /usr/bin/bash; do [ ! -x "$shell" ] || exec "$shell" --noprofile --norc -p -c "$1"; done';

/** The program of a request, with its arguments. */
export function toArguments({
  command,
  shell = 'bash',
  merged = false,
}: Pick<ExecRequest, 'command' | 'shell' | 'merged'>): string[] {
  const before = merged ? ['exec 2>&1'] : [];
  if (typeof command !== 'string') return merged ? ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', ...command] : [...command];
  if (shell === 'bash') before.push(AS_BASH);
  if (before.length === 0) return ['/bin/sh', '-c', command];
  return ['/bin/sh', '-c', [...before, 'exec /bin/sh -c "$1"'].join('\n'), 'sh', command];
}

/** The real path; undefined for a missing file or a dangling symlink. */
export function toRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
