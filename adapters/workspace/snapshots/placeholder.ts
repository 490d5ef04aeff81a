import type { TreeChange } from '@klaus/core/protocol';

/** A `commondir` that names its own folder, as the sandbox holds it: the SHA-256 of `.` and a line end. */
const OWN_FOLDER = 'eb4bd64f7014f7d42e9d358035802242741b974e8dfcd37c59f9c21ce29d781e';

/** Folders that the sandbox keeps empty where they are missing: Klaus's own configuration, and the hooks of git. */
const FOLDERS = /^\.klaus$|(?:^|\/)\.git\/(?:.*\/)?hooks$/;
const COMMONDIR = /(?:^|\/)\.git\/(?:.*\/)?commondir$/;

/**
 * True for what comes and goes with the commands for which the sandbox holds it. It is nobody's change, and means the
 * same as nothing: an undo that took it away would also take a wall away from a command in the background.
 */
export function isPlaceholder({ path, before, after }: TreeChange, rows: readonly TreeChange[]): boolean {
  const entry = before ?? after;
  if (!entry || (before && after)) return false;
  if (entry.type === 'file') return COMMONDIR.test(path) && entry.hash === OWN_FOLDER;
  if (entry.type !== 'directory' || !FOLDERS.test(path)) return false;
  return !rows.some((row) => row.path.startsWith(`${path}/`));
}
