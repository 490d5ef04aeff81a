import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The real path of a folder; the path itself if there is no such folder on this machine. */
export function toRealFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * The folder of a session as the editor names it, which can be a symbolic link to the workspace. Paths that the editor
 * gets begin with it, because editors compare paths with those of their open files.
 *
 * @param cwd Absolute path from the editor. @param workspace Real path.
 */
export function toEditorFolder(cwd: string, workspace: string): string {
  return toRealFolder(cwd) === workspace ? cwd : workspace;
}

/** A path in the workspace as the editor names it. */
export function toEditorPath(path: string, { workspace, folder }: { workspace: string; folder: string }): string {
  const inside = relative(workspace, path);
  return inside.startsWith('..') ? path : join(folder, inside);
}
