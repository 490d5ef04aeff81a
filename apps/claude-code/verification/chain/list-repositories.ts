import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readForeignFileSync } from '@klaus/sdk/foreign-file';

const MAX_DEPTH = 4;
const MAX_REPOSITORIES = 200;
/** Folders that are searched at most. */
const MAX_FOLDERS = 20_000;

/** Repositories in the roots and below them, without starting Git in any of them. */
export function listRepositories(roots: readonly string[]): { path: string; branch: string | null }[] {
  const found = new Map<string, string | null>();
  let left = MAX_FOLDERS;
  const walk = (folder: string, depth: number): void => {
    if (found.size >= MAX_REPOSITORIES || left-- <= 0) return;
    if (existsSync(join(folder, '.git'))) found.set(folder, readBranch(folder));
    if (depth === MAX_DEPTH) return;
    for (const entry of readFolder(folder)) {
      // A link could lead out of the roots.
      if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
        walk(join(folder, entry.name), depth + 1);
    }
  };
  for (const root of roots) walk(root, 0);
  return [...found].map(([path, branch]) => ({ path, branch }));
}

function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function readBranch(folder: string): string | null {
  try {
    return (
      /^ref: refs\/heads\/(.+)$/m.exec(readForeignFileSync(join(folder, '.git/HEAD'), { max: 4_096 }).text)?.[1] ?? null
    );
  } catch {
    return null;
  }
}
