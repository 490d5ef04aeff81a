import { lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readForeignFileSync } from '@klaus/sdk/foreign-file';
import { isBelow } from '@klaus/sdk/guard';

/** Where Claude Code checks the repository out again, for an agent that works apart from the others. */
const WORKTREES = '.claude/worktrees';

/**
 * The root of the project for a path. In a worktree of an agent it is the worktree, whose files are those of a project;
 * elsewhere, and for a folder that only looks like a worktree, it is the given root.
 *
 * @param path Absolute real path.
 * @param root Absolute real path of the project.
 */
export function toProjectRoot(path: string, root: string): string {
  const parent = join(root, WORKTREES);
  if (!isBelow(path, parent) || path === parent) return root;
  const [name = ''] = path.slice(parent.length + 1).split('/', 1);
  const folder = join(parent, name);
  const mark = join(folder, '.git');
  // The folder itself and its mark are created by git alone.
  if (path === mark) return root;
  try {
    if (!lstatSync(folder).isDirectory() || !lstatSync(mark).isFile()) return root;
    const [, data] = /^gitdir: (.+)\n?$/.exec(readForeignFileSync(mark).text) ?? [];
    return data !== undefined && isBelow(resolve(folder, data), join(root, '.git/worktrees')) ? folder : root;
  } catch {
    return root;
  }
}
