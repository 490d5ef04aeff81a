import type { Root } from '../../path-entry.ts';
import { editTree, type TreeEdit } from '../restore/edit-tree.ts';
import { readPathState } from '../scan/path-state.ts';
import { scanAt } from '../scan/scan-paths.ts';
import type { Scan } from '../scan/scan.ts';
import { EMPTY } from '../tree.ts';
import type { Trees } from '../trees.ts';
import { toEdit } from '../path.ts';
import { LARGE } from './git-names.ts';

/** Names another folder of objects, which another machine does not have. */
const ALTERNATES = ['info/alternates', 'info/http-alternates'];

/** Paths of the folders of a state of git's own data in which git finds objects, such as `.git` and `.git/modules/a`. */
function toGitFolders(trees: Trees, state: Buffer): string[] {
  const heads = new Set<string>();
  const refs = new Set<string>();
  for (const { path, node } of trees.walk(state, '')) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (node.name === 'HEAD' && node.type === 'file') heads.add(folder);
    if (node.name === 'refs' && node.type === 'directory') refs.add(folder);
  }
  return [...heads].filter((folder) => refs.has(folder));
}

/**
 * Scans the folders that {@link LARGE} names, which states of git's own data leave out: the objects of the repositories.
 * Files that name objects elsewhere are left out.
 *
 * @param state The state of git's own data.
 */
export async function scanGitContents(scan: Scan, { root, state }: { root: Root; state: Buffer }): Promise<Buffer> {
  const gitScan: Scan = { ...scan, uncovered: [], repositories: [], isGit: true };
  const edits = new Map<string, TreeEdit>();
  for (const folder of toGitFolders(scan.trees, state)) {
    for (const name of LARGE) {
      const path = `${folder}/${name}`;
      const { entry, unsupported } = await readPathState(root, path, gitScan);
      if (entry?.type !== 'directory' || unsupported) continue;
      const edit = toEdit(entry)!;
      edit.hash = (await scanAt(root, gitScan, path)) ?? EMPTY;
      edits.set(path, edit);
    }
  }
  await scan.batch.flush();
  const all = await editTree(scan, EMPTY, edits);
  await scan.batch.flush();
  const foreign = [...edits.keys()].flatMap((path) => ALTERNATES.map((name) => `${path}/${name}`));
  const found = foreign.filter((path) => scan.trees.find(all, path));
  return found.length === 0 ? all : editTree(scan, all, new Map(found.map((path) => [path, null])));
}
