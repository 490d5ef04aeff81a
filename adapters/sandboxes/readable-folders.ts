import { existsSync, realpathSync } from 'node:fs';
import type { ExecRequest } from '@klaus/core/agent';

/**
 * Removes readable folders from a request that are missing, or that were replaced by a symlink and so would show another
 * folder.
 *
 * @param warnings Receives a sentence for each removed folder.
 */
export function dropReplacedFolders<R extends Pick<ExecRequest, 'besideAt' | 'readable' | 'workspaceAt' | 'writable'>>(
  request: R,
  warnings: { add(text: string): unknown },
): R {
  if (!request.readable) return request;
  const readable = request.readable.filter((path) => {
    if (existsSync(path) && realpathSync.native(path) === path) return true;
    warnings.add(`${path} is missing, or a symbolic link has replaced it: commands cannot see it.`);
    return false;
  });
  // Changes outside a layer could not be reviewed.
  const isReviewable = (path: string): boolean =>
    request.workspaceAt === undefined || request.besideAt?.some((one) => one.path === path) === true;
  const writable = (request.writable ?? []).filter((path) => readable.includes(path) && isReviewable(path));
  return { ...request, readable, writable };
}
