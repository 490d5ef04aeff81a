import type { TreeChange, TreeEntry, TreeId } from '../../protocol/index.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { toChange } from '../workspace/tree-row.ts';
import { readText, readTextAt } from './git-text.ts';

const OBJECT_ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
/** Refs whose loss is the loss of commits. A stash is dropped by using it, and remote branches come back. */
const KEPT = /^refs\/(?:heads|tags|klaus)\//;
const BRANCH = /^refs\/(?:heads|remotes)\//;

/** @source gitrepository-layout(5), git-pack-refs(1) */
const PACKED_LINE = /^(?:#.*|\^?[0-9a-f]{40}(?:[0-9a-f]{24})?(?: \S.*)?)$/;

export interface GitStates {
  snapshots: Snapshots;
  before: TreeId;
  after: TreeId;
  /** Paths of the workspace that its snapshot does not hold. */
  uncovered: readonly string[];
}

/**
 * Finds damage to repositories that were there: a HEAD or index that git cannot read, refs that are gone, and refs to
 * objects that are gone.
 *
 * @param folders Git folders that were there before, relative to the workspace.
 * @param approved True where a human let a command of the turn pass: it may delete refs.
 * @returns Rows from what is there to what was there.
 */
export async function findDamage(
  states: GitStates,
  rows: readonly TreeChange[],
  { folders, approved }: { folders: readonly string[]; approved: boolean },
): Promise<TreeChange[]> {
  const found: TreeChange[] = [];
  for (const folder of folders) {
    const own = rows.filter(({ path }) => path.startsWith(`${folder}/`));
    if (own.length === 0) continue;
    for (const row of own)
      if (await isBroken(states, folder, row)) found.push(...toChange(row.path, row.after, row.before));
    if (!approved) found.push(...(await findLostRefs(states, folder, own)));
  }
  const byPath = new Map(found.map((row) => [row.path, row]));
  for (const row of found) for (const above of toParents(row, rows)) byPath.set(above.path, above);
  return [...byPath.values()];
}

/** True for a file that git cannot use any more. */
async function isBroken(states: GitStates, folder: string, { path, before, after }: TreeChange): Promise<boolean> {
  const { snapshots } = states;
  const name = path.slice(folder.length + 1);
  if (name === 'refs') return before?.type === 'directory' && after?.type !== 'directory';
  if (name === 'HEAD') {
    const text = (await readText(snapshots, after))?.trim() ?? '';
    const isSymbolic = /^ref: refs\/\S+$/.test(text);
    return !isSymbolic && !(OBJECT_ID.test(text) && snapshots.hasGitObject(folder, text));
  }
  if (name === 'index' && after) return isUnusableIndex(states, folder, { before, after });
  if (name === 'packed-refs' && after) return !isPackedRefs(await readText(snapshots, after));
  if (name === 'shallow' && after) return !isIdList(await readText(snapshots, after));
  if (!name.startsWith('refs/') || after?.type !== 'file') return false;
  const id = (await readText(snapshots, after))?.trim() ?? '';
  return !id.startsWith('ref: ') && !snapshots.hasGitObject(folder, id);
}

function isIdList(text: string | undefined): boolean {
  return text !== undefined && text.split('\n').every((line) => line === '' || OBJECT_ID.test(line));
}

/** Git reads no ref at all beside a file of which it does not understand one line. */
function isPackedRefs(text: string | undefined): boolean {
  if (text === undefined) return false;
  const lines = text.split('\n');
  return lines.pop() === '' && lines.every((line) => PACKED_LINE.test(line));
}

/**
 * True for an index that git cannot read, that hides its entries in another file, or that newly names a repository
 * which no snapshot could look at.
 */
async function isUnusableIndex(
  { snapshots, uncovered }: GitStates,
  folder: string,
  { before, after }: { before: TreeEntry | null; after: TreeEntry },
): Promise<boolean> {
  if (after.type !== 'file') return true;
  const known = before?.type === 'file' ? await snapshots.gitlinks(before) : [];
  const now = await snapshots.gitlinks(after);
  // An index of a kind that is not understood was so before.
  if (now === undefined) return known !== undefined;
  const top = folder === '.git' ? '' : folder.slice(0, -'.git'.length);
  const isHidden = (path: string): boolean =>
    path.includes('\uFFFD') || uncovered.some((place) => path === place || path.startsWith(`${place}/`));
  return now.some((path) => !known?.includes(path) && isHidden(top + path));
}

/**
 * Branches and tags that are gone while nothing else names their commit, and the branch that HEAD names. A tag names
 * no branch: it does not move with it.
 */
async function findLostRefs(states: GitStates, folder: string, rows: readonly TreeChange[]): Promise<TreeChange[]> {
  const { snapshots, after } = states;
  const packed = rows.find(({ path }) => path === `${folder}/packed-refs`);
  const packedBefore = toPacked(packed ? await readText(snapshots, packed.before) : undefined);
  const packedAfter = toPacked(await readTextAt(snapshots, after, `${folder}/packed-refs`));
  const lost: { row: TreeChange; name: string; id: string }[] = [];
  const left: [name: string, id: string][] = [...packedAfter, ...toUnchangedRefs(states, folder, rows)];
  for (const row of rows) {
    const name = row.path.slice(folder.length + 1);
    if (!name.startsWith('refs/')) continue;
    if (row.after) left.push([name, (await readText(snapshots, row.after))?.trim() ?? '']);
    else if (row.before?.type === 'file' && !packedAfter.has(name))
      lost.push({ row, name, id: (await readText(snapshots, row.before))?.trim() ?? '' });
  }
  for (const [name, id] of packedBefore) {
    const path = `${folder}/${name}`;
    if (packedAfter.has(name) || (await snapshots.entry(after, path))) continue;
    if (lost.some(({ row }) => row.path === path)) continue;
    const entry = await snapshots.put(new TextEncoder().encode(`${id}\n`), { type: 'file', mode: 0o644 });
    lost.push({ row: { path, kind: 'deleted', before: entry, after: null }, name, id });
  }
  const head = (await readTextAt(snapshots, after, `${folder}/HEAD`))?.trim();
  const isNamed = (name: string, id: string): boolean =>
    left.some(([other, named]) => named === id && (!name.startsWith('refs/heads/') || BRANCH.test(other)));
  return lost
    .filter(({ name, id }) => KEPT.test(name) && (head === `ref: ${name}` || !isNamed(name, id)))
    .flatMap(({ row }) => toChange(row.path, null, row.before));
}

/** Refs of the repository that did not change. */
function toUnchangedRefs(
  { snapshots, after }: GitStates,
  folder: string,
  rows: readonly TreeChange[],
): [name: string, id: string][] {
  const changed = new Set(rows.map(({ path }) => path));
  const top = folder === '.git' ? '' : folder.slice(0, -'/.git'.length);
  const position = snapshots.git(after).find(({ path }) => path === top);
  return Object.entries(position?.refs ?? {}).filter(([name]) => !changed.has(`${folder}/${name}`));
}

function toPacked(text: string | undefined): Map<string, string> {
  const rows = (text ?? '').split('\n').flatMap((line): [string, string][] => {
    const [id = '', name = ''] = line.split(' ');
    return OBJECT_ID.test(id) && name.startsWith('refs/') ? [[name, id]] : [];
  });
  return new Map(rows);
}

/** Folders that went with a file that comes back. */
function toParents({ path }: TreeChange, rows: readonly TreeChange[]): TreeChange[] {
  return rows
    .filter(
      (row) => path.startsWith(`${row.path}/`) && row.after?.type !== 'directory' && row.before?.type === 'directory',
    )
    .flatMap((row) => toChange(row.path, row.after, row.before));
}
