import type { EventBody, EventOf, TreeChange, TreeId } from '../../protocol/index.ts';
import type { ApplyResult, Snapshots } from '../ports/snapshots.ts';
import type { Guarded } from '../places/guard-places.ts';
import { list, toFailure } from '../unreverted.ts';
import type { Work } from '../work.ts';
import { findArmed } from './disarm-folders.ts';
import { findDamage } from './find-damage.ts';
import { EMPTY_STATE } from './git-text.ts';

export interface GuardInput {
  opened: EventOf<'workspace.snapshotted'>;
  tree: TreeId;
  gitTree: TreeId | undefined;
}

export interface GitGuarded extends Guarded {
  gitTree: TreeId | undefined;
}

/**
 * Looks at what commands of a turn did to repositories of the workspace, at any depth, and repairs it: what they
 * planted for the user's next git command loses its effect, and what they destroyed returns. Objects cannot be
 * destroyed: the sandbox keeps them.
 */
export async function guardGit(work: Work, input: GuardInput): Promise<GitGuarded> {
  const { opened, tree, gitTree } = input;
  const snapshots = await work.snapshots();
  const armed = await findArmed(
    { snapshots, before: opened.tree, after: tree },
    await snapshots.changes(opened.tree, tree),
  );
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
    `Repaired: a command changed ${list(names)}, by which git runs programs or finds its data. ` +
    'Commits, branches and merges are possible; configuration, hooks and the data that git needs are not to be changed.';
  const message = {
    id: work.engine.ids.ulid(),
    role: 'user' as const,
    origin: 'engine' as const,
    parts: [{ type: 'text' as const, text }],
  };
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
    { type: 'message.added', run, turn, message },
    { type: 'notice', run, level: 'warn', text },
  ];
  if (unreverted.length > 0) bodies.push({ type: 'notice', run, level: 'error', text: toFailure(unreverted) });
  return { bodies, tree: now, gitTree: gitNow, unreverted };
}

async function findGitRepairs(
  work: Work,
  snapshots: Snapshots,
  { opened, tree, gitTree }: GuardInput & { gitTree: TreeId },
): Promise<TreeChange[]> {
  const before = opened.gitTree;
  if (before === gitTree) return [];
  const rows = before === undefined ? await listAll(snapshots, gitTree) : await snapshots.changes(before, gitTree);
  const armed = await findArmed({ snapshots, before, after: gitTree }, rows);
  if (before === undefined) return armed;
  const folders = snapshots.git(before).map(({ path }) => (path === '' ? '.git' : `${path}/.git`));
  const approved = work.state.turnEffects?.isApproved === true;
  const uncovered = snapshots.uncovered(tree).map(({ path }) => path);
  const damage = await findDamage({ snapshots, before, after: gitTree, uncovered }, rows, { folders, approved });
  return [...new Map([...damage, ...armed].map((row) => [row.path, row])).values()];
}

/** There was no repository before: everything is new. */
async function listAll(snapshots: Snapshots, state: TreeId): Promise<TreeChange[]> {
  return snapshots.changes(EMPTY_STATE, state);
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
