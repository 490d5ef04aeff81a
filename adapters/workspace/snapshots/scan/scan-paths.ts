import { lstatSync } from 'node:fs';
import type { Root } from '../../path-entry.ts';
import { editTree, type TreeEdit } from '../restore/edit-tree.ts';
import type { SnapshotStore } from '../snapshot-store.ts';
import { readPathState, statPath } from './path-state.ts';
import { toEdit } from '../path.ts';
import { scanDirectory, type Scan } from './scan.ts';
import { DirHandle, withParent } from '../restore/dir-handle.ts';

const PERMISSIONS = 0o7777;

/** The state `base` with only these paths, and what is below them, as they are now. */
export async function scanPaths(
  store: SnapshotStore,
  scan: Scan,
  from: { root: Root; base: Buffer; paths: readonly string[] },
): Promise<Buffer> {
  const edits = new Map<string, TreeEdit>();
  for (const path of toOutermost(from.paths)) {
    const names = path.split('/');
    const isLeftOut =
      names.includes('.git') || names.some((_, i) => scan.excluded.has(names.slice(0, i + 1).join('/')));
    if (isLeftOut) continue;
    const stat = await statPath(from.root, path);
    if (stat) await addParents(store, from, { names, edits });
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
  return editTree({ trees: store.trees, batch: scan.batch, yielder: scan.yielder }, from.base, edits);
}

/** Looks at one directory and everything below it. Undefined when it is gone. */
export async function scanAt(root: Root, scan: Scan, path: string): Promise<Buffer | undefined> {
  let handle = new DirHandle({ root });
  if (path !== '') for (const name of path.split('/')) handle = handle.child(name);
  try {
    const absolute = path === '' ? root.path : `${root.path === '/' ? '' : root.path}/${path}`;
    return await scanDirectory(scan, { relative: path, absolute, handle });
  } finally {
    handle.closeAll();
  }
}

/** Directories above a path that the base does not have: their modes must come from somewhere. */
async function addParents(
  store: SnapshotStore,
  from: { root: Root; base: Buffer },
  at: { names: readonly string[]; edits: Map<string, TreeEdit> },
): Promise<void> {
  for (let depth = 1; depth < at.names.length; depth++) {
    const above = at.names.slice(0, depth).join('/');
    if (at.edits.has(above) || store.trees.find(from.base, above)?.type === 'directory') continue;
    const stat = await withParent(from.root, above, (parent, name) =>
      lstatSync(parent.child(name), { throwIfNoEntry: false }),
    );
    if (!stat?.isDirectory()) return;
    at.edits.set(above, { type: 'directory', mode: stat.mode & PERMISSIONS, size: 0, hash: undefined });
  }
}

/** Without the paths that lie below others. */
function toOutermost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return [...all].filter((path) => {
    const names = path.split('/');
    return !names.some((_, i) => i > 0 && all.has(names.slice(0, i).join('/')));
  });
}
