import { existsSync, realpathSync } from 'node:fs';
import type { ExecRequest } from '@klaus/core/agent';

/**
 * The request with those of its readable folders that still are what was named: one that is gone, or in whose place a
 * symlink stands now, would show another.
 *
 * Folders are changed only by a command that changes the workspace itself and ends with its turn.
 *
 * @param warnings Gets a sentence for each that is left out.
 */
export function withStillReadable<R extends Pick<ExecRequest, 'readable' | 'workspaceAt' | 'writable'>>(
  request: R,
  warnings: { add(text: string): unknown },
): R {
  if (!request.readable) return request;
  const readable = request.readable.filter((path) => {
    if (existsSync(path) && realpathSync(path) === path) return true;
    warnings.add(`${path} is gone, or a symbolic link has replaced it: commands do not see it.`);
    return false;
  });
  // What is changed beside a layer could not be reviewed, and what outlives its turn could not be taken back.
  const isKept = request.workspaceAt === undefined && !('survives' in request);
  const writable = isKept ? (request.writable ?? []).filter((path) => readable.includes(path)) : [];
  return { ...request, readable, writable };
}
