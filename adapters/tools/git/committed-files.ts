import { join } from 'node:path';
import type { CommittedQuery, PathState, FindCommitted } from '@klaus/core/agent';
import { readHeader, readObjects, toObjectId, toTreeItems, type GitObject, type TreeItem } from './git-objects.ts';
import type { GitContext } from './git.ts';
import type { Repository } from './repository.ts';

/** Most ancestors of the known commits that are read. */
const MAX_HISTORY = 5_000;
/** Most commits of the session between HEAD and known commits, and most known commits that HEAD builds on. */
const MAX_OWN = 200;
const MAX_BASES = 8;
const EXECUTABLE = 0o111;
const SPECIAL = 0o7000;

type Objects = Map<string, GitObject>;

export const findCommitted: FindCommitted = async (context, query) => {
  const repository = await toRepository(context, query.repository);
  if (!repository || query.known.length === 0) return new Set();
  const names = [...new Set([query.head, ...query.known])];
  const history = await readObjects(context, { repository, names, history: MAX_HISTORY });
  const known = toReachable(history, query.known);
  const bases = toBases(history, query.head, known);
  if (bases.length === 0) return new Set();
  // A commit of the session is no evidence of the earlier state of a file.
  const previous = query.previous !== undefined && known.has(query.previous) ? query.previous : undefined;
  if (query.previous !== undefined && previous === undefined) return new Set();
  const files = query.files.filter(({ path }) => !path.includes('\n'));
  const commits = [...new Set([...bases, ...(previous === undefined ? [] : [previous])])];
  const trees = await readTrees(context, { repository, history, commits, paths: files.map(({ path }) => path) });
  const at = (commit: string, path: string) => findItem(trees, { history, commit, path });
  const isCommitted = ({ path, before, after }: CommittedQuery['files'][number]): boolean => {
    const then = previous === undefined ? null : at(previous, path);
    return bases.some((base) => {
      const now = at(base, path);
      if (now === undefined || then === undefined || isSameItem(now, then) || !matches(now, after)) return false;
      // A checkout removes only files of the previous commit.
      return now !== null || matches(then, before);
    });
  };
  return new Set(files.filter(isCommitted).map(({ path }) => path));
};

/** Only for a folder in the workspace that contains its Git data. */
async function toRepository({ workspace }: GitContext, folder: string): Promise<Repository | undefined> {
  const git = await workspace.stat(folder === '' ? '.git' : `${folder}/.git`);
  if (git?.kind !== 'directory') return undefined;
  const top = join(workspace.root, folder);
  const gitDir = join(top, '.git');
  return { top, gitDir, commonDir: gitDir, inside: true };
}

/** The commits that are reachable from these ids through verified objects. */
function toReachable(objects: Objects, ids: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const open = [...ids];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const object = objects.get(id);
    if (!object || reached.has(id)) continue;
    if (object.type === 'tag') open.push(...readHeader(object, 'object'));
    if (object.type !== 'commit') continue;
    reached.add(id);
    open.push(...readHeader(object, 'parent'));
  }
  return reached;
}

function toBases(objects: Objects, head: string, known: ReadonlySet<string>): string[] {
  const bases = new Set<string>();
  const seen = new Set<string>();
  const open = [head];
  for (let id = open.shift(); id !== undefined && seen.size < MAX_OWN; id = open.shift()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const object = objects.get(id);
    if (known.has(id)) bases.add(id);
    else if (object) open.push(...readHeader(object, 'parent'));
  }
  return bases.size > MAX_BASES ? [] : [...bases];
}

/** The parent directories of some paths in some commits. */
async function readTrees(
  context: GitContext,
  at: { repository: Repository; history: Objects; commits: readonly string[]; paths: readonly string[] },
): Promise<Objects> {
  const folders = new Set(
    at.paths.flatMap((path) => {
      const names = path.split('/').slice(0, -1);
      return names.map((_, i) => names.slice(0, i + 1).join('/'));
    }),
  );
  const names = at.commits.flatMap((commit) => [
    ...readHeader(at.history.get(commit)!, 'tree'),
    ...[...folders].map((folder) => `${commit}:${folder}`),
  ]);
  return readObjects(context, { repository: at.repository, names });
}

/** The entry of a commit at a path: null for none; undefined if it cannot be verified. */
function findItem(
  trees: Objects,
  { history, commit, path }: { history: Objects; commit: string; path: string },
): TreeItem | null | undefined {
  const [id] = readHeader(history.get(commit)!, 'tree');
  let item: TreeItem = { mode: '40000', id: id! };
  for (const name of path.split('/')) {
    if (item.mode !== '40000') return null;
    const tree = trees.get(item.id);
    if (!tree) return undefined;
    const next = toTreeItems(tree, commit.length).get(name);
    if (!next) return null;
    item = next;
  }
  return item;
}

function isSameItem(a: TreeItem | null, b: TreeItem | null): boolean {
  if (a === null || b === null) return a === b;
  return a.mode === b.mode && (a.id === b.id || a.mode === '40000');
}

/** True if the entry of a commit equals the present state. The content of a directory is compared separately. */
function matches(item: TreeItem | null, state: PathState): boolean {
  if (item === null || state === null) return item === state;
  const { entry, content } = state;
  if (entry.type === 'directory') return item.mode === '40000';
  if (!content || (entry.mode & SPECIAL) !== 0) return false;
  const mode = entry.type === 'symlink' ? '120000' : (entry.mode & EXECUTABLE) !== 0 ? '100755' : '100644';
  return item.mode === mode && item.id === toObjectId('blob', content, item.id.length);
}
