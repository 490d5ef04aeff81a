import type { TreeChange } from '@klaus/core/protocol';

/** The SHA-256 of `.` and a line feed: the content of a `commondir` placeholder of the sandbox. */
const OWN_FOLDER = 'eb4bd64f7014f7d42e9d358035802242741b974e8dfcd37c59f9c21ce29d781e';

/** Empty folders that the sandbox creates as placeholders: Klaus's own configuration, and the hooks of git. */
const FOLDERS = /^\.klaus$|(?:^|\/)\.git\/(?:.*\/)?hooks$/;
const COMMONDIR = /(?:^|\/)\.git\/(?:.*\/)?commondir$/;

/**
 * True for a created or deleted placeholder of a sandbox. Snapshots leave out placeholders of this process, but can
 * contain those of others. They do not count as changes, and an undo must not remove them, because that would remove the
 * protection of a background command.
 */
export function isPlaceholder({ path, before, after }: TreeChange, rows: readonly TreeChange[]): boolean {
  const entry = before ?? after;
  if (!entry || (before && after)) return false;
  if (entry.type === 'file') return COMMONDIR.test(path) && entry.hash === OWN_FOLDER;
  if (entry.type !== 'directory' || !FOLDERS.test(path)) return false;
  return !rows.some((row) => row.path.startsWith(`${path}/`));
}
