import type { TreeChange } from '@klaus/core/protocol';

/** A `commondir` that names its own folder, as the sandbox holds it: the SHA-256 of `.` and a line end. */
const OWN_FOLDER = 'eb4bd64f7014f7d42e9d358035802242741b974e8dfcd37c59f9c21ce29d781e';

/** Folders that the sandbox keeps empty where they are missing: Klaus's own configuration, and the hooks of git. */
const FOLDERS = /^\.klaus$|(?:^|\/)\.git\/(?:.*\/)?hooks$/;
const COMMONDIR = /(?:^|\/)\.git\/(?:.*\/)?commondir$/;

/** True for the path of a folder that means the same as nothing while it is empty. */
export function isPlaceholderFolder(path: string): boolean {
  return FOLDERS.test(path);
}

/** True for a file that means the same as nothing. @param hash SHA-256 of its content. */
export function isPlaceholderFile(path: string, hash: Buffer): boolean {
  return path.endsWith('commondir') && COMMONDIR.test(path) && hash.toString('hex') === OWN_FOLDER;
}

/**
 * True for a change of what the sandbox adds for a command and removes after it. States leave it out, so that a state
 * during a command equals one without; states of earlier versions, and of single paths, can have it. An undo must not
 * remove it: that would remove a wall from a command in the background.
 */
export function isPlaceholder({ path, before, after }: TreeChange, rows: readonly TreeChange[]): boolean {
  const entry = before ?? after;
  if (!entry || (before && after)) return false;
  if (entry.type === 'file') return COMMONDIR.test(path) && entry.hash === OWN_FOLDER;
  if (entry.type !== 'directory' || !FOLDERS.test(path)) return false;
  return !rows.some((row) => row.path.startsWith(`${path}/`));
}
