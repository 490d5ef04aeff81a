import type { TreeChange, TreeEntry, TreeId } from '../../protocol/index.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { toChange } from '../workspace/tree-row.ts';
import { readText, readTextAt } from './git-text.ts';

const OBJECT_ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
/** Refs whose loss can lose commits. A stash is dropped when it is applied, and remote branches can be fetched. */
const KEPT = /^refs\/(?:heads|tags|klaus)\//;
/** The refs of working copies, which Klaus deletes when they end. */
const COPY = /^refs\/klaus\/copies\/(.+)$/;
const BRANCH = /^refs\/(?:heads|remotes)\//;

/** @source gitrepository-layout(5), git-pack-refs(1) */
const PACKED_LINE = /^(?:#.*|\^?[0-9a-f]{40}(?:[0-9a-f]{24})?(?: \S.*)?)$/;

export interface GitStates {
  snapshots: Snapshots;
  before: TreeId;
  after: TreeId;
  /** Paths of the workspace that its snapshot does not contain. */
  uncovered: readonly string[];
}

/**
 * Finds damage to existing repositories: a HEAD or index that git cannot read, deleted refs, and refs to missing
 * objects.
 *
 * @param folders Git folders that existed before, relative to the workspace.
 * @param mayDelete True for a ref that an approved command of the turn named.
 * @param hasCopy False for a working copy that has ended.
 * @returns Rows from the present to the former entries.
 */
export async function findDamage(
  states: GitStates,
  rows: readonly TreeChange[],
  {
    folders,
    mayDelete,
    hasCopy,
  }: { folders: readonly string[]; mayDelete: (ref: string) => boolean; hasCopy: (name: string) => Promise<boolean> },
): Promise<TreeChange[]> {
  const isKept = async (ref: string): Promise<boolean> =>
    KEPT.test(ref) && !mayDelete(ref) && (await needsRef(ref, hasCopy));
  const found: TreeChange[] = [];
  for (const folder of folders) {
    const own = rows.filter(({ path }) => path.startsWith(`${folder}/`));
    if (own.length === 0) continue;
    for (const row of own)
      if (await isBroken(states, folder, row)) found.push(...toChange(row.path, row.after, row.before));
    found.push(...(await findLostRefs(states, { folder, rows: own, isKept })));
  }
  const byPath = new Map(found.map((row) => [row.path, row]));
  for (const row of found) for (const above of toParents(row, rows)) byPath.set(above.path, above);
  return [...byPath.values()];
}

/** True for a file that git can no longer use. */
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

/** Git reads no ref if one line of the file is invalid. */
function isPackedRefs(text: string | undefined): boolean {
  if (text === undefined) return false;
  const lines = text.split('\n');
  return lines.pop() === '' && lines.every((line) => PACKED_LINE.test(line));
}

/** True for an index that git cannot read, that is split, or that adds a repository which no snapshot can contain. */
async function isUnusableIndex(
  { snapshots, uncovered }: GitStates,
  folder: string,
  { before, after }: { before: TreeEntry | null; after: TreeEntry },
): Promise<boolean> {
  if (after.type !== 'file') return true;
  const known = before?.type === 'file' ? await snapshots.gitlinks(before) : [];
  const now = await snapshots.gitlinks(after);
  // An index of an unknown kind is accepted if it was so before.
  if (now === undefined) return known !== undefined;
  const top = folder === '.git' ? '' : folder.slice(0, -'.git'.length);
  const isHidden = (path: string): boolean =>
    path.includes('\uFFFD') || uncovered.some((place) => path === place || path.startsWith(`${place}/`));
  return now.some((path) => !known?.includes(path) && isHidden(top + path));
}

/** The deleted branch of HEAD, and deleted refs whose commit no other ref names. A tag does not replace a branch. */
async function findLostRefs(
  states: GitStates,
  { folder, rows, isKept }: { folder: string; rows: readonly TreeChange[]; isKept: (ref: string) => Promise<boolean> },
): Promise<TreeChange[]> {
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
  const found: TreeChange[] = [];
  for (const { row, name, id } of lost)
    if ((head === `ref: ${name}` || !isNamed(name, id)) && (await isKept(name)))
      found.push(...toChange(row.path, null, row.before));
  return found;
}

async function needsRef(ref: string, hasCopy: (name: string) => Promise<boolean>): Promise<boolean> {
  const name = COPY.exec(ref)?.[1];
  return name === undefined || (await hasCopy(name));
}

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

/** Deleted folders of a file that is restored. */
function toParents({ path }: TreeChange, rows: readonly TreeChange[]): TreeChange[] {
  return rows
    .filter(
      (row) => path.startsWith(`${row.path}/`) && row.after?.type !== 'directory' && row.before?.type === 'directory',
    )
    .flatMap((row) => toChange(row.path, row.after, row.before));
}
