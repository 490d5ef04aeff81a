import type { EventBody, TreeChange, TreeId } from '../../protocol/index.ts';
import { toEngineMessage } from '../context/engine-message.ts';
import type { ApplyResult, Snapshots } from '../ports/snapshots.ts';
import type { GitGuarded, GuardInput } from '../workspace/guarded.ts';
import { listNames, describeUnreverted } from '../workspace/unreverted-places.ts';
import type { Work } from '../loop/work.ts';
import { readNamed } from '../places/named-places.ts';
import { findArmed } from './disarm-folders.ts';
import { findDamage } from './find-damage.ts';
import { EMPTY_STATE } from './git-text.ts';

/**
 * Checks and repairs the changes of a turn's commands to repositories of the workspace, at any depth: files planted for
 * the user's next git command are disarmed, and destroyed data is restored. Objects cannot be destroyed: the sandbox
 * protects them.
 */
export async function guardGit(work: Work, input: GuardInput): Promise<GitGuarded> {
  const { opened, tree, gitTree } = input;
  const snapshots = await work.snapshots();
  const armed = await findArmedFiles(snapshots, input);
  const gitRepairs = gitTree === undefined ? [] : await findGitRepairs(work, snapshots, { ...input, gitTree });
  if (armed.length + gitRepairs.length === 0) return { bodies: [], tree, gitTree, unreverted: [] };
  const files = await repair(armed, (rows, options) => snapshots.apply(rows, options));
  const git = await repair(gitRepairs, (rows, options) => snapshots.applyGit(rows, options));
  const unreverted = [files, git]
    .flatMap((result) => (result?.applied === false ? result.conflicts : []))
    .map(({ path }) => path);
  const names = [...armed, ...gitRepairs].map(({ path }) => path).filter((path) => !unreverted.includes(path));
  const now = files ? await snapshots.snapshot({ only: { base: tree, paths: armed.map(({ path }) => path) } }) : tree;
  const gitNow = await snapshots.snapshotGit(now);
  const { run, turn } = opened;
  const text =
    `Repaired: a command changed ${listNames(names)}, by which git runs programs or finds its data. ` +
    'Commits, branches and merges are allowed; configuration, hooks and internal data of git must not be changed.';
  const bodies: EventBody[] = [
    {
      type: 'workspace.restored',
      kind: 'review',
      turns: [turn],
      from: files?.applied ? files.before : tree,
      to: files?.applied ? files.after : tree,
      ...(git?.applied ? { git: { from: git.before, to: git.after } } : {}),
      files: countChanges(files) + countChanges(git),
      kept: unreverted,
      by: 'klaus',
    },
    toEngineMessage(work.engine.ids, opened, text),
    { type: 'notice', run, level: 'warn', text },
  ];
  if (unreverted.length > 0) bodies.push({ type: 'notice', run, level: 'error', text: describeUnreverted(unreverted) });
  return { bodies, tree: now, gitTree: gitNow, unreverted };
}

/** Paths of git's own data, and of repositories, whose changes `guardGit` will repair. */
export async function findGitRejections(work: Work, input: GuardInput): Promise<string[]> {
  const { gitTree } = input;
  const snapshots = await work.snapshots();
  const armed = await findArmedFiles(snapshots, input);
  const repairs = gitTree === undefined ? [] : await findGitRepairs(work, snapshots, { ...input, gitTree });
  return [...armed, ...repairs].map(({ path }) => path);
}

/** Paths by which git could run a program that it did not run before. */
export async function findArmedPaths(snapshots: Snapshots, input: GuardInput): Promise<string[]> {
  const { opened, gitTree } = input;
  const files = await findArmedFiles(snapshots, input);
  const git = gitTree === undefined ? [] : await findArmedGit(snapshots, { before: opened.gitTree, after: gitTree });
  return [...files, ...git].map(({ path }) => path);
}

async function findArmedFiles(snapshots: Snapshots, { opened, tree }: GuardInput): Promise<TreeChange[]> {
  const states = { snapshots, before: opened.tree, after: tree };
  return findArmed(states, await snapshots.changes(opened.tree, tree));
}

async function findArmedGit(
  snapshots: Snapshots,
  { before, after, isNamed }: { before: TreeId | undefined; after: TreeId; isNamed?: (path: string) => boolean },
): Promise<TreeChange[]> {
  if (before === after) return [];
  // Without a repository before, all files are new.
  return findArmed({ snapshots, before, after, isNamed }, await snapshots.changes(before ?? EMPTY_STATE, after));
}

async function findGitRepairs(
  work: Work,
  snapshots: Snapshots,
  { opened, tree, gitTree }: GuardInput & { gitTree: TreeId },
): Promise<TreeChange[]> {
  const before = opened.gitTree;
  if (before === gitTree) return [];
  const named = await readNamed(work);
  const armed = await findArmedGit(snapshots, { before, after: gitTree, isNamed: named.hasGitFile });
  if (before === undefined) return armed;
  const rows = await snapshots.changes(before, gitTree);
  const now = new Map(snapshots.git(gitTree).map((one) => [one.path, one]));
  // A repository that was moved is not damaged: without its objects, its data is of no use here.
  const folders = snapshots
    .git(before)
    .filter(({ path, store }) => now.has(path) && (store === undefined || store === (now.get(path)!.store ?? store)))
    .map(({ path }) => (path === '' ? '.git' : `${path}/.git`));
  const uncovered = snapshots.uncovered(tree).map(({ path }) => path);
  const damage = await findDamage({ snapshots, before, after: gitTree, uncovered }, rows, {
    folders,
    mayDelete: named.hasRef,
    hasCopy: (name) => work.engine.hasCopy(name),
  });
  return [...new Map([...damage, ...armed].map((row) => [row.path, row])).values()];
}

async function repair(
  rows: readonly TreeChange[],
  apply: (rows: readonly TreeChange[], options: { overwrite: Set<string> }) => Promise<ApplyResult>,
): Promise<ApplyResult | undefined> {
  if (rows.length === 0) return undefined;
  return apply(rows, { overwrite: new Set(rows.map(({ path }) => path)) });
}

function countChanges(result: ApplyResult | undefined): number {
  return result?.applied ? result.changes.length : 0;
}
