import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { listEntries } from '@klaus/sdk/guard';

const MAX_ENTRIES = 20_000;
/** Folders in which a session works rarely, and that hold many files. */
const SKIPPED = /^(?:node_modules|\.git|\.hg|\.svn|\.venv|venv|\.cache|worktrees)$/;

/**
 * Visits a project and the folders in it, those near to its root first: of a large one only these.
 *
 * @param visit Gets the absolute path of a folder, and its entries.
 */
export function visitFolders(root: string, visit: (folder: string, entries: readonly Dirent[]) => void): void {
  const folders = [root];
  let count = 0;
  // The list grows while it is read.
  for (const folder of folders) {
    if (count > MAX_ENTRIES) return;
    const entries = listEntries(folder);
    visit(folder, entries);
    count += entries.length;
    for (const entry of entries)
      if (entry.isDirectory() && !SKIPPED.test(entry.name)) folders.push(join(folder, entry.name));
  }
}
