import type { TreeChange, TreeId } from '../../protocol/index.ts';
import type { Snapshots } from '../ports/snapshots.ts';

/** A changed file of git's own data. */
export interface GitFile {
  row: TreeChange;
  /** The git folder, relative to the workspace, such as `.git` or `.git/modules/lib`. */
  folder: string;
  /** The folder of the repository; '' is the workspace. Also for the git folder of a submodule in it. */
  repository: string;
  /** The path in the git folder, without that of a linked worktree: `HEAD` for `worktrees/a/HEAD`. */
  name: string;
}

const WORKTREE = /^worktrees\/[^/]+\//;
/**
 * Files that name no objects for the user's next command of git: remote-tracking refs, messages, configuration, and what
 * is judged elsewhere.
 */
const NOT_CARRIERS =
  /^(?:(?:logs\/)?refs\/remotes\/|FETCH_HEAD$|AUTO_MERGE$|config|hooks\/|info\/|description$|gc\.|index$|sharedindex\.|shallow$|gitdir$|commondir$|locked$|fsmonitor|rr-cache\/|[A-Z]+_(?:EDIT)?MSG$|refs\/replace\/)/;
const OBJECT_ID = /\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b/g;
/** Steps of a rebase or a series of picks, whose ids are shortened. */
const STEPS = /^(?:rebase-merge|sequencer)\/(?:git-rebase-todo|todo|done)/;
const SHORT_ID = /\b[0-9a-f]{4,64}\b/g;

/** The git folder of a path in a state of git's own data. */
export async function toGitFile(
  snapshots: Snapshots,
  states: readonly (TreeId | undefined)[],
  row: TreeChange,
): Promise<GitFile | undefined> {
  const parts = row.path.split('/');
  const at = parts.lastIndexOf('.git');
  if (at < 0) return undefined;
  let folder = parts.slice(0, at + 1).join('/');
  let rest = parts.slice(at + 1);
  const isFolder = async (path: string): Promise<boolean> => {
    for (const state of states) if (state !== undefined && (await snapshots.entry(state, `${path}/HEAD`))) return true;
    return false;
  };
  for (let length = 2; rest[0] === 'modules' && length < rest.length; length++) {
    const inner = `${folder}/${rest.slice(0, length).join('/')}`;
    if (!(await isFolder(inner))) continue;
    folder = inner;
    rest = rest.slice(length);
    length = 1;
  }
  const name = rest.join('/').replace(WORKTREE, '');
  return { row, folder, repository: parts.slice(0, at).join('/'), name };
}

export function isCarrier({ name, row }: GitFile): boolean {
  return name !== '' && row.after?.type === 'file' && !NOT_CARRIERS.test(name);
}

export function isIndex({ name, row }: GitFile): boolean {
  return name === 'index' && row.after?.type === 'file';
}

/** The lines that a file has and did not have. */
export function toNewLines(before: string, after: string): string[] {
  if (after.startsWith(before)) return after.slice(before.length).split('\n');
  const known = new Set(before.split('\n'));
  return after.split('\n').filter((line) => !known.has(line));
}

/** The object ids in a line. The target of a symbolic ref is looked up. */
export function toIds(name: string, line: string, find: (ref: string) => string | undefined): string[] {
  const [, ref] = /^ref: *(\S+)\s*$/.exec(line) ?? [];
  if (ref !== undefined) return [find(ref)].filter((id) => id !== undefined);
  return line.match(STEPS.test(name) ? SHORT_ID : OBJECT_ID) ?? [];
}
