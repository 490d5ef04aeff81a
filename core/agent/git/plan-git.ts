import type { TreeChange, TreeId } from '../../protocol/index.ts';
import { compose } from '../workspace/compose-turns.ts';
import type { Conflict, GitPosition, Snapshots } from '../ports/snapshots.ts';
import { isSame, toChange } from '../workspace/tree-row.ts';
import type { TurnStates } from '../workspace/turn-history.ts';
import { toArmingFiles } from './git-folders.ts';
import { EMPTY_STATE } from './git-text.ts';

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
}

export const NO_GIT: GitPlan = { changes: [], conflicts: [], refs: [] };

/** Temporary files that git writes with every command. */
const PASSING = /\/(?:FETCH_HEAD|ORIG_HEAD|COMMIT_EDITMSG|gc\.log|gc\.pid)$/;
/** Klaus's own checkpoints. */
const OWN = /\/(?:logs\/)?refs\/klaus(?:\/|$)/;

/** The changes of git's own data that undo turns; without `all` only new repositories, configuration and hooks. */
export async function planGitUndo(snapshots: Snapshots, turns: readonly TurnStates[], all: boolean): Promise<GitPlan> {
  const known = turns.filter(({ gitBefore, gitAfter }) => gitBefore !== undefined || gitAfter !== undefined);
  if (known.length === 0) return NO_GIT;
  const now = await readNow(snapshots);
  const pairs = known.map(({ gitBefore = EMPTY_STATE, gitAfter, after }) => ({
    before: gitBefore,
    // A turn that ended without a repository has deleted it.
    after: gitAfter ?? (after === undefined ? now : EMPTY_STATE),
  }));
  const { changes } = await compose(snapshots, pairs, async () => now);
  const created = changes
    .filter(({ path, before, after }) => isEntry(path) && before && !after)
    .map(({ path }) => path);
  const isMine = ({ path }: TreeChange): boolean =>
    created.some((folder) => path === folder || path.startsWith(`${folder}/`)) || toArmingFiles(path).length > 0;
  const rows = changes.filter((row) => isInside(row.path) && !OWN.test(row.path) && (all || isMine(row)));
  const target = pairs[0]!.before;
  if (!all) return toPlan(snapshots, rows, { now, refsOf: undefined });
  const lost = await findLostHeads(snapshots, { now, target });
  return toPlan(snapshots, [...rows, ...lost.filter(({ path }) => !rows.some((row) => row.path === path))], {
    now,
    refsOf: target,
  });
}

/** A deleted HEAD, without which git does not recognize the repository. */
async function findLostHeads(
  snapshots: Snapshots,
  { now, target }: { now: TreeId; target: TreeId },
): Promise<TreeChange[]> {
  const lost: TreeChange[] = [];
  for (const { path } of snapshots.git(target)) {
    for (const name of ['HEAD', 'refs']) {
      const full = toGitPath(path, name);
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
  return toPlan(snapshots, rows, { now: await readNow(snapshots), refsOf: undefined });
}

/** @param keep True: files that were changed after the session are not restored. */
export async function restoreGit(
  snapshots: Snapshots,
  { changes, conflicts }: GitPlan,
  keep: boolean,
): Promise<{ changes: TreeChange[]; states?: { from: TreeId; to: TreeId }; kept: Conflict[] }> {
  const left = new Set(keep ? conflicts.map(({ path }) => path) : []);
  const rows = changes.filter(({ path }) => !left.has(path));
  const kept = conflicts.filter(({ path }) => left.has(path));
  if (rows.length === 0) return { changes: [], kept };
  // Overwrites all rows: conflicts were just checked, and git may rewrite its index at any time.
  const result = await snapshots.applyGit(rows, { overwrite: new Set(rows.map(({ path }) => path)) });
  if (!result.applied) return { changes: [], kept: [...kept, ...result.conflicts] };
  return { changes: result.changes, states: { from: result.before, to: result.after }, kept };
}

async function readNow(snapshots: Snapshots): Promise<TreeId> {
  return (await snapshots.snapshotGit(await snapshots.snapshot())) ?? EMPTY_STATE;
}

async function toPlan(
  snapshots: Snapshots,
  rows: readonly TreeChange[],
  { now, refsOf }: { now: TreeId; refsOf: TreeId | undefined },
): Promise<GitPlan> {
  const changes: TreeChange[] = [];
  const conflicts: Conflict[] = [];
  for (const { path, before: expected, after } of rows) {
    const found = (await snapshots.entry(now, path)) ?? null;
    changes.push(...toChange(path, found, after));
    if (isSame(found, expected) || isSame(found, after) || PASSING.test(`/${path}`)) continue;
    if (!(await isRewritten(snapshots, { path, expected, found }))) conflicts.push({ path, expected, found });
  }
  if (refsOf === undefined) return { changes, conflicts, refs: [] };
  const moved = new Set(changes.map(({ path }) => path));
  // Refs that were moved since are not restored.
  const refs = compareRefs(snapshots.git(now), snapshots.git(refsOf)).filter(
    ({ repository, name }) => moved.has(toGitPath(repository, name)) || moved.has(toGitPath(repository, 'packed-refs')),
  );
  return { changes, conflicts, refs };
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

function toGitPath(repository: string, name: string): string {
  return repository === '' ? `.git/${name}` : `${repository}/.git/${name}`;
}

function isInside(path: string): boolean {
  return path.split('/').includes('.git');
}

function isEntry(path: string): boolean {
  return path === '.git' || path.endsWith('/.git');
}
