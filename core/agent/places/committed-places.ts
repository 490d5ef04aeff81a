import { unlessFailed, type TreeChange, type TreeEntry, type TreeId } from '../../protocol/index.ts';
import { readLog } from '../state/load-state.ts';
import { readKnownIds, toHeadId } from './known-commits.ts';
import type { CommittedQuery, PathState } from '../ports/committed-files.ts';
import type { GitPosition, Snapshots } from '../ports/snapshots.ts';
import { createToolContext } from '../calls/tool-context.ts';
import type { Work } from '../loop/work.ts';
import { joinPath } from './resolve-inside.ts';

/** Maximum bytes of a file, and maximum number of files, that are compared with a commit. */
const MAX_BYTES = 1024 * 1024;
const MAX_FILES = 2_000;

/**
 * Paths that a checkout or a merge of the user's own commits changed: HEAD moved, the present content is that of such a
 * commit, and the commit existed before the session. Commits of the session itself do not count.
 */
export async function findCommittedPlaces(
  work: Work,
  { rows, before, after }: { rows: readonly TreeChange[]; before: TreeId; after: TreeId },
): Promise<ReadonlySet<string>> {
  const snapshots = await work.snapshots();
  const was = snapshots.git(before);
  const is = snapshots.git(after);
  const found = new Set<string>();
  for (const now of is) {
    const then = was.find(({ path }) => path === now.path);
    const head = toHeadId(now);
    if (!then || head === undefined || isSamePosition(then, now)) continue;
    const own = rows.filter(({ path }) => holderOf(path, is) === now.path && holderOf(path, was) === now.path);
    if (own.length === 0 || own.length > MAX_FILES) continue;
    const known = readKnownIds(await readLog(work.engine.store, work.session), now.path);
    const query: CommittedQuery = {
      repository: now.path,
      head,
      previous: toHeadId(then),
      known,
      files: await toFiles(snapshots, own, now.path),
    };
    const proven = await unlessFailed(async () =>
      work.engine.findCommitted(await createToolContext(work, 'guard'), query),
    );
    for (const path of proven ?? []) found.add(joinPath(now.path, path));
  }
  return found;
}

function isSamePosition(a: GitPosition, b: GitPosition): boolean {
  return a.head === b.head && toHeadId(a) === toHeadId(b);
}

/** The innermost repository that contains a path. */
function holderOf(path: string, repositories: readonly GitPosition[]): string | undefined {
  return repositories
    .map((repository) => repository.path)
    .filter((folder) => folder === '' || path.startsWith(`${folder}/`))
    .toSorted((a, b) => b.length - a.length)[0];
}

async function toFiles(
  snapshots: Snapshots,
  rows: readonly TreeChange[],
  repository: string,
): Promise<CommittedQuery['files']> {
  const files: CommittedQuery['files'][number][] = [];
  for (const { path, before, after } of rows) {
    const inside = repository === '' ? path : path.slice(repository.length + 1);
    files.push({ path: inside, before: await toState(snapshots, before), after: await toState(snapshots, after) });
  }
  return files;
}

async function toState(snapshots: Snapshots, entry: TreeEntry | null): Promise<PathState> {
  if (!entry) return null;
  if (entry.type === 'directory' || entry.size > MAX_BYTES || !snapshots.isStored(entry)) return { entry };
  return { entry, content: await snapshots.content(entry) };
}
