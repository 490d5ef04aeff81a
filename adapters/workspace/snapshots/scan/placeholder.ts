import type { TreeChange } from '@klaus/core/protocol';

/** A `commondir` that names its own folder, as the sandbox holds it: the SHA-256 of `.` and a line end. */
const OWN_FOLDER = 'eb4bd64f7014f7d42e9d358035802242741b974e8dfcd37c59f9c21ce29d781e';

/** Folders that the sandbox keeps empty where they are missing: Klaus's own configuration, and the hooks of git. */
const FOLDERS = /^\.klaus$|(?:^|\/)\.git\/(?:.*\/)?hooks$/;
const COMMONDIR = /(?:^|\/)\.git\/(?:.*\/)?commondir$/;

/**
 * True for a change of what the sandbox adds for a command and removes after it. States leave out what this process
 * holds; what another one holds they can have. It means the same as nothing, and an undo must not remove it: that would
 * remove a wall from a command in the background.
 */
export function isPlaceholder({ path, before, after }: TreeChange, rows: readonly TreeChange[]): boolean {
  const entry = before ?? after;
  if (!entry || (before && after)) return false;
  if (entry.type === 'file') return COMMONDIR.test(path) && entry.hash === OWN_FOLDER;
  if (entry.type !== 'directory' || !FOLDERS.test(path)) return false;
  return !rows.some((row) => row.path.startsWith(`${path}/`));
}
