import { isAbsolute, normalize, relative } from 'node:path';
import type { ExecRequest } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';

/** True when `child` is `parent` or lies below it. Both absolute; symlinks are not looked at. */
export function contains(parent: string, child: string): boolean {
  // Asked by the thousand, and `relative` takes both apart.
  if (isClean(parent) && isClean(child))
    return child.startsWith(parent) && (child.length === parent.length || child[parent.length] === '/');
  const inside = relative(parent, child);
  return inside === '' || !(inside === '..' || inside.startsWith('../'));
}

/** No `//`, `.` or `..`, and no slash at the end. */
function isClean(path: string): boolean {
  return path[0] === '/' && !/\/(?:\.{0,2}(?:\/|$))/.test(path);
}

/**
 * The folder that a command starts in.
 *
 * @throws KlausError `workspace.outside` when it is not in the workspace.
 */
export function toWorkingFolder(request: ExecRequest, workspace: string): string {
  const cwd = normalize(request.cwd ?? workspace);
  if (!isAbsolute(cwd) || !contains(workspace, cwd)) {
    throw new KlausError('workspace.outside', `the working folder ${cwd} is not inside ${workspace}`);
  }
  return cwd;
}

/** The request's command as an argument vector. */
export function toArguments(command: ExecRequest['command']): string[] {
  return typeof command === 'string' ? ['/bin/sh', '-c', command] : [...command];
}
