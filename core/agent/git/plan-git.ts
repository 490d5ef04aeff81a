import { optional, type TreeChange, type TreeId } from '../../protocol/index.ts';
import { compose } from '../workspace/compose-turns.ts';
import type { Conflict, GitPosition, Snapshots } from '../ports/snapshots.ts';
import { isSame, toChange } from '../workspace/tree-row.ts';
import type { TurnStates } from '../workspace/turn-history.ts';
import { toArmingFiles } from './git-folders.ts';
import { EMPTY_STATE, OWN_REFS } from './git-text.ts';

/** A change of a ref or of HEAD. */
export interface RefChange {
  /** The folder of the repository; '' is the workspace. */
  repository: string;
  /** Such as `HEAD` or `refs/heads/main`. */
  name: string;
  /** Its present value; undefined if it does not exist. */
  from?: string;
  to?: string;
}

/** The changes that restore git's own data. */
export interface GitPlan {
  changes: TreeChange[];
  conflicts: Conflict[];
  refs: RefChange[];
  /** Changes of refs by the turns that an undo without all of git's data leaves, from the present value to the former. */
  left: RefChange[];
  /** The repositories of the state that the changes restore. */
  repositories: readonly GitPosition[];
  /** The `.git` entries between which repositories move. */
  moved: ReadonlySet<string>;
}

export const NO_GIT: GitPlan = { changes: [], conflicts: [], refs: [], left: [], repositories: [], moved: new Set() };

/** Temporary files that git writes with every command. */
const PASSING = /\/(?:FETCH_HEAD|ORIG_HEAD|COMMIT_EDITMSG|gc\.log|gc\.pid)$/;

/**
 * The changes of git's own data that undo turns; without `all` only configuration, hooks, and the repositories that the
 * turns created, removed or moved.
 */
export async function planGitUndo(snapshots: Snapshots, turns: readonly TurnStates[], all: boolean): Promise<GitPlan> {
  const known = turns.filter(({ gitBefore, gitAfter }) => gitBefore !== undefined || gitAfter !== undefined);
  if (known.length === 0) return NO_GIT;
  const now = await readNow(snapshots);
  const pairs = known.map(({ gitBefore = EMPTY_STATE, gitAfter, gitOwn, after }) => ({
    before: gitBefore,
    // A turn that ended without a repository has deleted it.
    after: gitAfter ?? (after === undefined ? now : EMPTY_STATE),
    ...optional({ own: gitOwn }),
  }));
  const { changes } = await compose(snapshots, pairs, async () => now);
  const target = pairs[0]!.before;
  const repositories = snapshots.git(target);
  const moved = findMoved(repositories, snapshots.git(pairs.at(-1)!.after));
  const mine = new Set([
    ...changes.filter(({ path, before, after }) => isEntry(path) && !(before && after)).map(({ path }) => path),
    ...moved,
  ]);
  // Without its HEAD, a submodule is no repository either.
  const broken = changes
    .filter(
      ({ path, before, after }) => !before && after && /\.git\/modules\/(?!.*\/(?:logs|refs)\/).*\/HEAD$/.test(path),
    )
    .map(({ path }) => path.slice(0, -'HEAD'.length));
  const isMine = ({ path }: TreeChange): boolean =>
    mine.has(toEntry(path)) || toArmingFiles(path).length > 0 || broken.some((folder) => path.startsWith(folder));
  const own = changes.filter((row) => isInside(row.path) && !OWN_REFS.test(row.path));
  const rows = all ? own : own.filter(isMine);
  if (!all) {
    const plan = await toPlan(snapshots, rows, { now, refsOf: undefined, repositories, moved });
    const left = own.filter((row) => !isMine(row));
    return { ...plan, left: findMovedRefs(left, { now: snapshots.git(now), then: repositories }) };
  }
  const lost = await findLostHeads(snapshots, { now, target });
  return toPlan(snapshots, [...rows, ...lost.filter(({ path }) => !rows.some((row) => row.path === path))], {
    now,
    refsOf: target,
    repositories,
    moved,
  });
}

/** The `.git` entries at which another repository is now, because it was moved there. */
function findMoved(before: readonly GitPosition[], after: readonly GitPosition[]): Set<string> {
  const toPlaces = (all: readonly GitPosition[]): Map<string, string> =>
    new Map(all.flatMap(({ path, store }) => (store === undefined ? [] : [[store, toGitPath(path)] as const])));
  const [from, to] = [toPlaces(before), toPlaces(after)];
  const pairs = [...from].map(([store, path]) => [path, to.get(store) ?? path]);
  return new Set(pairs.filter(([path, now]) => path !== now).flat());
}

/** A deleted HEAD, without which git does not recognize the repository. */
async function findLostHeads(
  snapshots: Snapshots,
  { now, target }: { now: TreeId; target: TreeId },
): Promise<TreeChange[]> {
  const lost: TreeChange[] = [];
  for (const { path } of snapshots.git(target)) {
    for (const name of ['HEAD', 'refs']) {
      const full = `${toGitPath(path)}/${name}`;
      if (await snapshots.entry(now, full)) continue;
      lost.push(...toChange(full, null, (await snapshots.entry(target, full)) ?? null));
    }
  }
  return lost;
}

/** The changes that redo an undo. */
export async function planGitRedo(
  snapshots: Snapshots,
  states: { from: TreeId; to: TreeId } | undefined,
): Promise<GitPlan> {
  if (!states) return NO_GIT;
  const rows = (await snapshots.changes(states.to, states.from)).filter(({ path }) => isInside(path));
  const repositories = snapshots.git(states.from);
  const moved = findMoved(snapshots.git(states.to), repositories);
  return toPlan(snapshots, rows, { now: await readNow(snapshots), refsOf: undefined, repositories, moved });
}

/** @param keep True: files that were changed after the session are not restored. */
export async function restoreGit(
  snapshots: Snapshots,
  { changes, conflicts, repositories: all, moved }: GitPlan,
  keep: boolean,
): Promise<{ changes: TreeChange[]; states?: { from: TreeId; to: TreeId }; kept: Conflict[] }> {
  const kept = keep ? conflicts : [];
  const left = new Set(kept.map(({ path }) => path));
  // A repository that stays where it was moved to keeps its objects there.
  const entries = new Set(kept.map(({ path }) => toEntry(path)));
  const isLeft = ({ path }: TreeChange): boolean =>
    left.has(path) || (moved.has(toEntry(path)) && [...moved].some((entry) => entries.has(entry)));
  const rows = changes.filter((row) => !isLeft(row));
  if (rows.length === 0) return { changes: [], kept };
  const touched = new Set(rows.map(({ path }) => toEntry(path)));
  const repositories = all.filter(({ path }) => touched.has(toGitPath(path)));
  // Overwrites all rows: conflicts were just checked, and git may rewrite its index at any time.
  const overwrite = new Set(rows.map(({ path }) => path));
  const result = await snapshots.applyGit(rows, { overwrite, repositories });
  if (!result.applied) return { changes: [], kept: [...kept, ...result.conflicts] };
  return { changes: result.changes, states: { from: result.before, to: result.after }, kept };
}

async function readNow(snapshots: Snapshots): Promise<TreeId> {
  return (await snapshots.snapshotGit(await snapshots.snapshot())) ?? EMPTY_STATE;
}

async function toPlan(
  snapshots: Snapshots,
  rows: readonly TreeChange[],
  { now, refsOf, ...rest }: { now: TreeId; refsOf: TreeId | undefined } & Pick<GitPlan, 'repositories' | 'moved'>,
): Promise<GitPlan> {
  const changes: TreeChange[] = [];
  const conflicts: Conflict[] = [];
  for (const { path, before: expected, after } of rows) {
    const found = (await snapshots.entry(now, path)) ?? null;
    changes.push(...toChange(path, found, after));
    if (isSame(found, expected) || isSame(found, after) || PASSING.test(`/${path}`)) continue;
    if (!(await isRewritten(snapshots, { path, expected, found }))) conflicts.push({ path, expected, found });
  }
  if (refsOf === undefined) return { changes, conflicts, refs: [], left: [], ...rest };
  const refs = findMovedRefs(changes, { now: snapshots.git(now), then: snapshots.git(refsOf) });
  return { changes, conflicts, refs, left: [], ...rest };
}

/** The refs among the changes: those that were moved since are not restored. */
function findMovedRefs(
  changes: readonly TreeChange[],
  { now, then }: { now: readonly GitPosition[]; then: readonly GitPosition[] },
): RefChange[] {
  const moved = new Set(changes.map(({ path }) => path));
  return compareRefs(now, then).filter(({ repository, name }) =>
    [name, 'packed-refs'].some((file) => moved.has(`${toGitPath(repository)}/${file}`)),
  );
}

/** True for an index with the same entries. */
async function isRewritten(snapshots: Snapshots, { path, expected, found }: Conflict): Promise<boolean> {
  if (!path.endsWith('/index') || expected?.type !== 'file' || found?.type !== 'file') return false;
  return snapshots.isSameIndex(expected, found);
}

function compareRefs(now: readonly GitPosition[], then: readonly GitPosition[]): RefChange[] {
  const toNames = (all: readonly GitPosition[]): Map<string, string> =>
    new Map(
      all.flatMap(({ path, head, refs }) =>
        [['HEAD', head] as const, ...Object.entries(refs)]
          .filter(([name]) => !name.startsWith('refs/klaus/'))
          .map(([name, to]) => [`${path}\0${name}`, to] as const),
      ),
    );
  const [from, to] = [toNames(now), toNames(then)];
  return [...new Set([...from.keys(), ...to.keys()])]
    .filter((key) => from.get(key) !== to.get(key))
    .map((key) => {
      const [repository = '', name = ''] = key.split('\0');
      return { repository, name, from: from.get(key), to: to.get(key) };
    });
}

/** The `.git` entry of a repository. @param repository Its folder. */
function toGitPath(repository: string): string {
  return repository === '' ? '.git' : `${repository}/.git`;
}

/** The outermost `.git` entry in a path. */
function toEntry(path: string): string {
  const names = path.split('/');
  return names.slice(0, names.indexOf('.git') + 1).join('/');
}

function isInside(path: string): boolean {
  return path.split('/').includes('.git');
}

function isEntry(path: string): boolean {
  return path === '.git' || path.endsWith('/.git');
}
