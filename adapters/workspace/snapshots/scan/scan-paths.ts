import { lstatSync } from 'node:fs';
import { joinFileName, toFileName } from '../../byte-names.ts';
import { toAncestors, type Root } from '../../path-entry.ts';
import { editTree, type TreeEdit } from '../restore/edit-tree.ts';
import { PERMISSIONS, readPathState, statPath } from './path-state.ts';
import { toEdit } from '../path.ts';
import { scanDirectory, type Scan } from './scan.ts';
import { toDirHandle, withParent } from '../restore/dir-handle.ts';

/** The snapshot `base` in which only these paths, with their content, are replaced by their present state. */
export async function scanPaths(
  scan: Scan,
  from: { root: Root; base: Buffer; paths: readonly string[] },
): Promise<Buffer> {
  const edits = new Map<string, TreeEdit>();
  for (const path of toOutermost(from.paths)) {
    const isExcluded = [...toAncestors(path), path].some((above) => scan.excluded.has(above));
    if (isExcluded || path.split('/').includes('.git')) continue;
    const stat = await statPath(from.root, path);
    if (stat) await addParents(scan, from, { path, edits });
    if (stat?.isDirectory() && stat.dev === scan.device) {
      const hash = await scanAt(from.root, scan, path);
      edits.set(path, hash === undefined ? null : { type: 'directory', mode: stat.mode & PERMISSIONS, size: 0, hash });
      continue;
    }
    const { entry, unsupported } = await readPathState(from.root, path, scan);
    scan.files++;
    if (unsupported) scan.uncovered.push({ path, why: stat?.isFile() ? 'unreadable' : 'special file' });
    edits.set(path, unsupported ? null : toEdit(entry));
    if (scan.writer?.full) await scan.writer.drain();
    if (scan.yielder.due) await scan.yielder.yield();
  }
  await scan.batch.flush();
  return editTree(scan, from.base, edits);
}

/** Scans one directory with all of its content. Undefined when it does not exist. */
export async function scanAt(root: Root, scan: Scan, path: string): Promise<Buffer | undefined> {
  using handle = toDirHandle(root, path === '' ? [] : path.split('/'));
  const absolute = path === '' ? root.path : joinFileName(root.path === '/' ? '' : root.path, toFileName(path));
  const coverage = scan.tools?.folders.isInside(path) ? 'named' : 'stored';
  return await scanDirectory(scan, { relative: path, absolute, handle, coverage });
}

/** Adds the parents of a path that the base does not contain, with their modes. */
async function addParents(
  scan: Scan,
  from: { root: Root; base: Buffer },
  at: { path: string; edits: Map<string, TreeEdit> },
): Promise<void> {
  for (const above of toAncestors(at.path)) {
    if (at.edits.has(above) || scan.trees.find(from.base, above)?.type === 'directory') continue;
    const stat = await withParent(from.root, above, (parent, name) =>
      lstatSync(parent.child(name), { throwIfNoEntry: false }),
    );
    if (!stat?.isDirectory()) return;
    at.edits.set(above, { type: 'directory', mode: stat.mode & PERMISSIONS, size: 0, hash: undefined });
  }
}

/** Removes paths that lie below others. */
function toOutermost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return [...all].filter((path) => !toAncestors(path).some((above) => all.has(above)));
}
