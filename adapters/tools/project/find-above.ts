import { statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { ToolContext } from '@klaus/core/agent';
import { isFile } from './package-json.ts';

export type ProjectContext = Pick<ToolContext, 'workspace' | 'readable'>;

/**
 * Finds a file in the workspace, or in the nearest readable folder above it: the root of a monorepo has its programs and
 * lock files.
 *
 * @param path Relative to each of the folders.
 * @returns The path relative to the workspace; undefined without one.
 */
export async function findAbove(context: ProjectContext, path: string): Promise<string | undefined> {
  if (await isFile(context, path)) return path;
  const { root } = context.workspace;
  const top = context.readable?.find((folder) => root.startsWith(`${folder}/`));
  if (top === undefined) return undefined;
  for (let at = dirname(root); at === top || at.startsWith(`${top}/`); at = dirname(at)) {
    if (statSync(join(at, path), { throwIfNoEntry: false })?.isFile()) return relative(root, join(at, path));
  }
  return undefined;
}
