import type { IndexChange, Snapshots } from '@klaus/core/agent';
import type { TreeEntry } from '@klaus/core/protocol';
import { compareIndexes, repairIndex, toIndexEntries } from '../../git-index/git-index.ts';

type Contents = Pick<Snapshots, 'content' | 'put'>;

/** See `Snapshots.indexChanges`. */
export async function readIndexChanges(
  contents: Contents,
  before: TreeEntry | null,
  after: TreeEntry,
): Promise<IndexChange[] | undefined> {
  if (after.type !== 'file') return undefined;
  return compareIndexes(await readFile(contents, before), await contents.content(after));
}

/** See `Snapshots.repairIndex`. */
export async function storeRepairedIndex(
  contents: Contents,
  { before, after }: { before: TreeEntry | null; after: TreeEntry },
  edits: Parameters<typeof repairIndex>[1],
): Promise<TreeEntry | undefined> {
  const index = { before: await readFile(contents, before), after: await contents.content(after) };
  const repaired = repairIndex(index, edits);
  return repaired && contents.put(repaired, { type: 'file', mode: after.mode });
}

/** See `Snapshots.gitlinks`. */
export async function readGitlinks(contents: Contents, index: TreeEntry): Promise<string[] | undefined> {
  const entries = toIndexEntries(await contents.content(index));
  return entries?.filter(({ isGitlink }) => isGitlink).map(({ path }) => path);
}

/** See `Snapshots.isSameIndex`. */
export async function hasSameEntries(contents: Contents, a: TreeEntry, b: TreeEntry): Promise<boolean> {
  const [one, other] = [await contents.content(a), await contents.content(b)].map(toIndexEntries);
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other);
}

async function readFile(contents: Contents, entry: TreeEntry | null): Promise<Uint8Array | undefined> {
  return entry?.type === 'file' ? contents.content(entry) : undefined;
}
