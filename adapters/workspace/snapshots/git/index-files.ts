import type { IndexDifference, Snapshots } from '@klaus/core/agent';
import type { TreeEntry } from '@klaus/core/protocol';
import { compareIndexes, repairIndex, toIndexEntries } from '../../git-index/git-index.ts';

type Contents = Pick<Snapshots, 'content' | 'put'>;

/** Larger indexes are not kept in memory: 16 MiB. */
const MAX_KEPT = 16 * 1_024 * 1_024;

/** Compares indexes, and keeps the last one: it is the former one of the next turn. */
export class IndexComparer {
  readonly #contents: Contents;
  #last: { hash: string; bytes: Uint8Array } | undefined;

  constructor(contents: Contents) {
    this.#contents = contents;
  }

  /** See `Snapshots.compareIndexes`. */
  async compare(before: TreeEntry | null, after: TreeEntry): Promise<IndexDifference | undefined> {
    if (after.type !== 'file') return undefined;
    const last = this.#last;
    const isLast = before?.type === 'file' && before.hash === last?.hash;
    const former = isLast ? last?.bytes : await readFile(this.#contents, before);
    const bytes = await this.#contents.content(after);
    this.#last = bytes.length > MAX_KEPT ? undefined : { hash: after.hash, bytes };
    return compareIndexes(former, bytes);
  }
}

/** See `Snapshots.repairIndex`. */
export async function storeRepairedIndex(
  contents: Contents,
  { before, after }: { before: TreeEntry | null; after: TreeEntry },
  edits: Parameters<typeof repairIndex>[1],
): Promise<TreeEntry | undefined> {
  const former = edits.restored.size > 0 ? await readFile(contents, before) : undefined;
  const repaired = repairIndex({ before: former, after: await contents.content(after) }, edits);
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
