import type { ContentQuery, IndexContents } from '../ports/committed-files.ts';
import type { IndexDifference, Snapshots } from '../ports/snapshots.ts';
import type { GitFile } from './git-file.ts';

export interface ChangedIndex {
  file: GitFile;
  /** Undefined for an index that only Git can read. */
  difference: IndexDifference | undefined;
}

export async function readIndexes(snapshots: Snapshots, files: readonly GitFile[]): Promise<ChangedIndex[]> {
  const found: ChangedIndex[] = [];
  for (const file of files) {
    const { before, after } = file.row;
    // An index that is looked at for its flags alone is complete.
    const difference = await snapshots.compareIndexes(before === after ? null : before, after!);
    found.push({ file, difference });
  }
  return found;
}

/** The entries at protected places that changed indexes have. */
export function toContents(
  indexes: readonly ChangedIndex[],
  { isPlace }: Pick<ContentQuery, 'isPlace'>,
): IndexContents {
  const entries = indexes.flatMap(({ difference }) => difference?.changes ?? []);
  return {
    entries: entries.filter(({ path, mode }) => isPlace(path, mode)),
    isComplete: indexes.every(({ difference }) => difference !== undefined),
  };
}

export function isWithoutEntries({ entries, isComplete }: IndexContents): boolean {
  return entries.length === 0 && isComplete;
}
