import { readConflicts, type ConflictedMerge, type ConflictFile } from './conflicts.ts';
import { toIdentity, type CommitOptions } from './commit-work.ts';
import type { CopyRecord } from './copy-record.ts';
import { git, runGit, tryGit } from './git.ts';
import { solveConflicts, type FileSolution } from './solve-conflicts.ts';

export type Method = 'merge' | 'squash' | 'rebase';

export interface IntegrateInput extends CommitOptions {
  method: Method;
  /** Commit of the repository's branch. */
  target: string;
  /** Commit of the copy. */
  head: string;
  /** Solutions of conflicts: of the merge, or of each commit of a rebase that has some. */
  steps?: readonly SolvedStep[];
}

export interface SolvedStep {
  /** The commit that a rebase could not apply; absent for a merge and a squash. */
  at?: string;
  files: readonly FileSolution[];
}

/** A new commit, or why there is none. `conflicts.at` is the commit that a rebase could not apply. */
export type Integrated = { commit: string } | { conflicts: ConflictFile[]; at?: string };

/**
 * Computes the commit that a merge, a squash or a rebase gives. It needs no working tree and changes nothing but the
 * objects of the copy, so that it can be stopped at any time.
 *
 * @returns `target` itself if it contains all changes already.
 */
export async function integrate({ path }: CopyRecord, input: IntegrateInput): Promise<Integrated> {
  const { method, target, head } = input;
  const isAncestor = async (one: string, two: string) =>
    (await runGit(path, ['merge-base', '--is-ancestor', one, two])).code === 0;
  if (await isAncestor(head, target)) return { commit: target };
  const solved = method === 'merge' ? await findSolution(path, input) : undefined;
  if (solved !== undefined) return { commit: solved };
  if (method !== 'squash' && (await isAncestor(target, head))) return { commit: head };
  if (method === 'rebase') return rebase(path, input);
  const merged = await solve(path, await mergeTrees(path, target, head), stepOf(input));
  if (merged.conflicts) return { conflicts: merged.conflicts };
  if (merged.tree === (await git(path, ['rev-parse', `${target}^{tree}`]))) return { commit: target };
  const parents = method === 'merge' ? [target, head] : [target];
  const env = await toIdentity(path, input);
  const commit = await commitTree(path, { tree: merged.tree, parents, message: input.message, env });
  return { commit };
}

/**
 * A merge of the target into the copy, such as one whose conflicts were solved there, as a merge of the copy into the
 * target: the first parent is the target, as users read its history. Undefined if the copy does not end in such a merge.
 */
async function findSolution(path: string, { target, head, ...options }: IntegrateInput): Promise<string | undefined> {
  const [own, other, ...more] = (await git(path, ['log', '-1', '--format=%P', head])).split(' ');
  if (own === undefined || other !== target || more.length > 0) return undefined;
  const [tree, message] = [`${head}^{tree}`, await git(path, ['log', '-1', '--format=%B', head])];
  const env = await toIdentity(path, options);
  return commitTree(path, { tree: await git(path, ['rev-parse', tree]), parents: [target, own], message, env });
}

/** Applies each commit that is no merge, in order. A commit whose changes the target has already is left out. */
async function rebase(path: string, input: IntegrateInput): Promise<Integrated> {
  const { target, head } = input;
  const listed = await git(path, ['rev-list', '--reverse', '--topo-order', '--no-merges', `${target}..${head}`]);
  const identity = await toIdentity(path, input);
  let onto = target;
  for (const commit of listed.split('\n').filter(Boolean)) {
    const picked = await solve(path, await pick(path, { commit, onto }), stepOf(input, commit));
    if (picked.conflicts) return { conflicts: picked.conflicts, at: commit };
    if (picked.tree === (await git(path, ['rev-parse', `${onto}^{tree}`]))) continue;
    const fields = await git(path, ['log', '-1', '--format=%an%x00%ae%x00%ad%x00%B', '--date=raw', commit]);
    const [name = '', email = '', date = '', message = ''] = fields.split('\0');
    const env = { ...identity, GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date };
    onto = await commitTree(path, { tree: picked.tree, parents: [onto], message, env });
  }
  return { commit: onto };
}

/** The files of `onto` with the changes of one commit. */
async function pick(path: string, { commit, onto }: { commit: string; onto: string }) {
  const parent = await tryGit(path, ['rev-parse', '--verify', '-q', `${commit}^`]);
  const empty = (): Promise<string> => git(path, ['hash-object', '-t', 'tree', '-w', '--stdin']);
  const before = parent === undefined ? await empty() : await git(path, ['rev-parse', `${parent}^{tree}`]);
  const env = {
    ...{ GIT_AUTHOR_NAME: 'Klaus', GIT_AUTHOR_EMAIL: 'klaus@localhost', GIT_AUTHOR_DATE: '@0 +0000' },
    ...{ GIT_COMMITTER_NAME: 'Klaus', GIT_COMMITTER_EMAIL: 'klaus@localhost', GIT_COMMITTER_DATE: '@0 +0000' },
  };
  // Git 2.39 takes no merge base, so these commits give it one.
  const toCommit = (tree: string, parents: string[]) => commitTree(path, { tree, parents, message: 'pick', env });
  const base = await toCommit(before, []);
  const ours = await toCommit(await git(path, ['rev-parse', `${onto}^{tree}`]), [base]);
  const theirs = await toCommit(await git(path, ['rev-parse', `${commit}^{tree}`]), [base]);
  return mergeTrees(path, ours, theirs);
}

interface MergedTree {
  tree: string;
  conflicts?: undefined;
}

function stepOf({ steps }: IntegrateInput, at?: string): SolvedStep | undefined {
  return steps?.find((step) => step.at === at);
}

/** Merged trees with the solution of their conflicts, if there is one. */
async function solve(
  path: string,
  merged: MergedTree | ConflictedMerge,
  step: SolvedStep | undefined,
): Promise<MergedTree | ConflictedMerge> {
  if (!merged.conflicts || step === undefined) return merged;
  return { tree: await solveConflicts(path, merged, step.files) };
}

async function mergeTrees(path: string, target: string, head: string): Promise<MergedTree | ConflictedMerge> {
  const style = ['-c', 'merge.conflictStyle=diff3'];
  const args = [...style, 'merge-tree', '--write-tree', '--name-only', '--messages', '-z', target, head];
  const { code, stdout, stderr } = await runGit(path, args);
  if (code === 0) return { tree: stdout.slice(0, stdout.indexOf('\0')) };
  if (code === 1) return readConflicts(path, stdout, { target, copy: head });
  await git(path, ['merge-base', target, head]);
  throw new Error(`git merge-tree failed: ${stderr.trim()}`);
}

async function commitTree(
  path: string,
  given: { tree: string; parents: readonly string[]; message: string; env: Readonly<Record<string, string>> },
): Promise<string> {
  const { tree, parents, message, env } = given;
  return git(path, ['commit-tree', tree, ...parents.flatMap((one) => ['-p', one]), '-F', '-'], { input: message, env });
}
