import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isKlausError, KlausError } from '@klaus/core/protocol';
import { block, commitWork, isOwnRepository, type CommitOptions } from './commit-work.ts';
import { describeCommits } from './commit-notes.ts';
import { createBranch } from './copy-branch.ts';
import { toPin, writeRecord, type CopyRecord, type Ending } from './copy-record.ts';
import { findTarget, isMerging, readCopyFacts } from './copy-state.ts';
import type { ConflictFile } from './conflicts.ts';
import { copyObjects, git, runGit } from './git.ts';
import { integrate, type Method, type SolvedStep } from './integrate.ts';
import { publish } from './publish.ts';
import { overlaps } from '../state-links.ts';
import { saveFiles, saveRest } from './remove-copy.ts';

/** How often a merge starts again because the branch of the original moved. */
const TRIES = 5;
const HOW = { merge: 'merged', squash: 'squashed', rebase: 'rebased' } as const satisfies Record<Method, Ending>;

export type Merged =
  | { how: Ending; commit: string; into: string; submodules: string[]; notes: string[] }
  | { conflicts: ConflictFile[]; into: string; target: string; head: string; at?: string };

/** Solutions of the conflicts that a merge of these two commits reported. */
export interface Solution {
  target: string;
  head: string;
  steps: readonly SolvedStep[];
}

interface MergeInput extends CommitOptions {
  method: Method;
  into: string | undefined;
  solution?: Solution;
  /** Klaus's own state, as absolute paths. */
  state: readonly string[];
}

/**
 * Brings the changes of a copy into a branch of the original. The record is `ending` after that.
 *
 * @throws KlausError `copy.blocked`, `copy.missing`.
 */
export async function mergeCopy(record: CopyRecord, given: MergeInput): Promise<Merged> {
  const into = given.into ?? record.target;
  if (into === undefined) {
    throw block('The working copy started at a detached HEAD, so it has no branch to merge into.', {
      hint: 'Name one with `--into BRANCH`, or run `klaus keep`.',
    });
  }
  prepare(record);
  const head = await commitWork(record, given);
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const target = await findTarget(record, into);
    if (target === undefined) {
      throw block(`${record.repository} has no branch ${into}.`, {
        hint: 'Name another one with `--into BRANCH`.',
      });
    }
    checkSolution(given.solution, { target, head });
    const result = await integrate(record, { ...given, target, head, steps: given.solution?.steps });
    if ('conflicts' in result) return { ...result, into, target, head };
    const how = HOW[given.method];
    if (result.commit === target) {
      writeRecord({ ...record, phase: 'ending', ending: { how, head, to: target } });
      return { how, commit: target, into, submodules: [], notes: [] };
    }
    await checkState(record, { from: target, to: result.commit, state: given.state });
    const notes = await describeCommits(record, { from: target, to: result.commit, author: given.author });
    const submodules = await publish(record, { how, into, from: target, to: result.commit, head });
    if (submodules) return { how, commit: result.commit, into, submodules, notes };
  }
  throw block(`${into} could not be moved: it changed ${TRIES} times during the merge, or Git refused it.`, {
    hint: `Check \`git status\` in ${record.repository}, and repeat the command.`,
  });
}

/** @throws KlausError `copy.blocked` for changes of Klaus's own state, which the original contains. */
async function checkState(
  { path, repository }: CopyRecord,
  { from, to, state }: { from: string; to: string; state: readonly string[] },
): Promise<void> {
  const places = state.filter((place) => overlaps(place, repository));
  if (places.length === 0) return;
  const listed = await git(path, ['diff', '--name-only', '--no-renames', '-z', from, to]);
  const name = listed
    .split('\0')
    .find((each) => each && places.some((place) => overlaps(place, join(repository, each))));
  if (name === undefined) return;
  throw block(`${name} belongs to Klaus's own state, and the working copy changed it.`, {
    hint: 'Read the change with `klaus diff`, and make it yourself.',
  });
}

/** @throws KlausError `copy.blocked` for a solution of other commits. */
function checkSolution(solution: Solution | undefined, { target, head }: { target: string; head: string }): void {
  if (!solution || (solution.target === target && solution.head === head)) return;
  throw block('The branch or the working copy has changed since its conflicts were reported.', {
    hint: 'Repeat the merge without a solution: its answer has the present conflicts.',
  });
}

/**
 * Merges the branch of the original into the copy, so that its files show the conflicts.
 *
 * @returns The files with conflicts, relative to the copy.
 */
export async function showConflicts(record: CopyRecord, given: CommitOptions & { into: string }): Promise<string[]> {
  const { path } = record;
  prepare(record);
  if (!(await isMerging(path))) {
    await commitWork(record, given);
    const target = await findTarget(record, given.into);
    if (target === undefined) throw block(`There is no branch ${given.into}.`, { hint: 'Name one with `--into`.' });
    await runGit(path, ['-c', 'merge.conflictStyle=merge', 'merge', '-q', '--no-commit', '--no-ff', target]);
  }
  const listed = await git(path, ['diff', '--name-only', '--diff-filter=U', '-z']);
  return listed.split('\0').filter(Boolean);
}

/** The files in which a commit differs from its common ancestor with a branch of the original. */
export async function changedFiles(record: CopyRecord, { commit, into }: { commit: string; into: string | undefined }) {
  const from = (await findTarget(record, into)) ?? record.base;
  const listed = await git(record.path, ['diff', '--name-only', '-z', '--merge-base', from, commit]);
  return listed.split('\0').filter(Boolean);
}

/** Creates the branch of the copy in the original. The record is `ending` after that. */
export async function keepCopy(record: CopyRecord, given: CommitOptions): Promise<{ commit: string; notes: string[] }> {
  const { repository, path, base } = record;
  prepare(record);
  const head = await commitWork(record, given);
  const notes = await describeCommits(record, { from: base, to: head, author: given.author });
  await copyObjects({ from: path, to: repository }, { commits: [head], known: [base] });
  await git(repository, ['update-ref', toPin(record), head]);
  await createBranch(record, head);
  writeRecord({ ...record, phase: 'ending', ending: { how: 'kept', head, to: head } });
  return { commit: head, notes };
}

/**
 * Ends a copy without its changes. They are saved on refs of the original, unless `force` is true.
 *
 * @returns The refs. @throws KlausError `copy.blocked` for changes that cannot be saved.
 */
export async function discardCopy(record: CopyRecord, given: CommitOptions & { force: boolean }): Promise<string[]> {
  const { path, repository } = record;
  const isReadable = existsSync(path) && existsSync(repository);
  if (!given.force && existsSync(path) && !existsSync(repository)) {
    throw block(`The repository ${repository} does not exist, so the changes cannot be saved there.`, {
      hint: `Save what you need from ${path}, and repeat the command with \`--force\`.`,
    });
  }
  const refs = isReadable && !given.force ? await saveAll(record, given) : [];
  writeRecord({ ...record, phase: 'ending', ending: { how: 'discarded' } });
  return refs;
}

/** Saves the commits of a copy, or at least its files: a command can have damaged Git's data there. */
async function saveAll(record: CopyRecord, given: CommitOptions): Promise<string[]> {
  const { path } = record;
  try {
    if (!(await isOwnRepository(path))) throw new KlausError('tool.failed', `${path} has no readable Git folder.`);
    dropIndexLock(path);
    const { state } = await readCopyFacts(record);
    if (state === 'changed' || (await isMerging(path))) await commitWork(record, { ...given, isPrivate: true });
    const head = await git(path, ['rev-parse', 'HEAD']);
    const { refs, refused } = await saveRest(record, state === 'merged' ? head : undefined);
    const isRefused = refused.includes(head);
    if (!isRefused && state !== 'unreadable') return refs;
    return [...refs, await saveFiles(record, { ...given, parent: isRefused ? record.base : head })];
  } catch (error) {
    if (!isKlausError(error) || error.code !== 'tool.failed') throw error;
    try {
      return [await saveFiles(record, { ...given, parent: record.base })];
    } catch (cause) {
      throw block(`The changes in ${path} cannot be saved: ${error.message}`, {
        hint: `Save what you need from ${path}, and repeat the command with \`--force\`.`,
        cause,
      });
    }
  }
}

/**
 * Call before a copy is changed, while no process works in it.
 *
 * @throws KlausError `copy.missing`.
 */
export function prepare(record: CopyRecord): void {
  checkFolders(record);
  dropIndexLock(record.path);
}

/** @throws KlausError `copy.missing` if the folder of the copy or the original was deleted. */
function checkFolders({ path, repository }: CopyRecord): void {
  if (!existsSync(path)) {
    throw new KlausError('copy.missing', `The folder ${path} of the working copy was deleted.`, {
      hint: '`klaus discard` removes what is left of it.',
    });
  }
  if (existsSync(repository)) return;
  throw new KlausError('copy.missing', `The repository ${repository} of the working copy was moved or deleted.`, {
    hint: `Restore it. The files of the working copy are in ${path}.`,
  });
}

/** No process works in a copy while it is changed here, so the lock is that of a killed one. */
function dropIndexLock(path: string): void {
  rmSync(join(path, '.git', 'index.lock'), { force: true });
}
