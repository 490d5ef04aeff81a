import { existsSync, realpathSync } from 'node:fs';
import type { ExecRequest } from '@klaus/core/agent';

/**
 * The request with those of its readable folders that still are what was named: one that is gone, or in whose place a
 * symlink stands now, would show another.
 *
 * @param warnings Gets a sentence for each that is left out.
 */
export function dropReplacedFolders<R extends Pick<ExecRequest, 'besideAt' | 'readable' | 'workspaceAt' | 'writable'>>(
  request: R,
  warnings: { add(text: string): unknown },
): R {
  if (!request.readable) return request;
  const readable = request.readable.filter((path) => {
    if (existsSync(path) && realpathSync.native(path) === path) return true;
    warnings.add(`${path} is gone, or a symbolic link has replaced it: commands do not see it.`);
    return false;
  });
  // What is changed beside a layer could not be reviewed.
  const isKept = (path: string): boolean =>
    request.workspaceAt === undefined || request.besideAt?.some((one) => one.path === path) === true;
  const writable = (request.writable ?? []).filter((path) => readable.includes(path) && isKept(path));
  return { ...request, readable, writable };
}
