import { existsSync, renameSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { isSecretFile } from '@klaus/core/policy';
import { isKlausError } from '@klaus/core/protocol';
import { removeTree } from '../layer/remove-tree.ts';
import { toIdentity, type CommitOptions } from './commit-work.ts';
import { deleteRecord, toPin, type CopyRecord } from './copy-record.ts';
import { copyObjects, git, runGit, tryGit } from './git.ts';

/** Refs of the original with the work of discarded copies. */
const DISCARDED = 'refs/klaus/discarded/';
/** Days after which such a ref can be deleted. */
const KEEP_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * Saves every commit of a copy that the original does not have, on refs below `refs/klaus/discarded/DAY/NAME/`:
 * branches, HEAD, stashes.
 *
 * @param merged A commit of the copy whose changes the original has.
 * @returns The refs, and the commits that Git does not let into the original, such as one with damaged folders.
 */
export async function saveRest({ repository, path, base }: CopyRecord, merged?: string): Promise<Saved> {
  if (!existsSync(path) || !existsSync(repository)) return { refs: [], refused: [] };
  const listed = await tryGit(path, ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/stash']);
  const head = await tryGit(path, ['rev-parse', 'HEAD']);
  const tips = new Map<string, string>();
  for (const line of [...(listed ?? '').split('\n').filter(Boolean), ...(head === undefined ? [] : [`${head} HEAD`])]) {
    const [commit, ref] = line.split(' ') as [string, string];
    if (!tips.has(commit) && commit !== merged) tips.set(commit, ref);
  }
  const missing: string[] = [];
  for (const commit of tips.keys()) if (!(await isReachable(repository, commit))) missing.push(commit);
  const refs: string[] = [];
  const refused: string[] = [];
  for (const commit of missing) {
    try {
      await copyObjects({ from: path, to: repository }, { commits: [commit], known: [base] });
      refs.push(await saveAt({ repository, path }, commit, tips.get(commit)!));
    } catch (error) {
      if (!isKlausError(error)) throw error;
      refused.push(commit);
    }
  }
  return { refs, refused };
}

interface Saved {
  refs: string[];
  refused: string[];
}

async function saveAt(copy: Pick<CopyRecord, 'repository' | 'path'>, commit: string, from: string): Promise<string> {
  const ref = `${DISCARDED}${toDay(Date.now())}/${basename(copy.path)}/${from.replace(/^refs\/(?:heads\/)?/, '')}`;
  await git(copy.repository, ['update-ref', ref, commit]);
  return ref;
}

/**
 * Saves the files of a copy as one commit of the original, without Git's data of the copy. New secret files are left out.
 *
 * @param options.parent A commit that the original has.
 * @returns The ref.
 */
export async function saveFiles(record: CopyRecord, options: CommitOptions & { parent: string }): Promise<string> {
  const { common, path, branch } = record;
  const { parent } = options;
  const index = `${path}.index`;
  const env = { GIT_DIR: common, GIT_WORK_TREE: path, GIT_INDEX_FILE: index };
  try {
    await git(path, ['read-tree', parent], { env });
    const listed = await git(path, ['ls-files', '-z', '-o', '--exclude-standard'], { env });
    const secret = listed.split('\0').filter((name) => isSecretFile(name, options.secrets));
    const without = secret.map((name) => `:(top,exclude,literal)${name}`);
    await runGit(path, ['add', '-A', '--ignore-errors', '--', '.', ...without], { env });
    const tree = await git(path, ['write-tree'], { env });
    const identity = await toIdentity(record.repository, { ...options, isPrivate: true });
    const given = { input: options.message, env: { ...env, ...identity } };
    const commit = await git(path, ['commit-tree', tree, '-p', parent, '-F', '-'], given);
    return await saveAt(record, commit, branch);
  } finally {
    rmSync(index, { force: true });
  }
}

/**
 * Deletes the refs that `saveRest` made more than 30 days ago in the repository of a folder.
 *
 * @returns The refs.
 */
export async function pruneSaved(folder: string, { dryRun }: { dryRun: boolean }): Promise<string[]> {
  const last = toDay(Date.now() - (KEEP_DAYS + 1) * DAY_MS);
  const listed = await git(folder, ['for-each-ref', '--format=%(refname)', DISCARDED]);
  const refs = listed.split('\n').filter((ref) => (toSavedDay(ref) ?? '9') <= last);
  for (const ref of dryRun ? [] : refs) await git(folder, ['update-ref', '-d', ref]);
  return refs;
}

/** The newest commit of a branch that `saveRest` saved of a copy. Undefined if nothing was saved. */
export async function findSaved({
  repository,
  path,
  branch,
}: Pick<CopyRecord, 'repository' | 'path' | 'branch'>): Promise<string | undefined> {
  const pattern = `${DISCARDED}*/${basename(path)}/${branch}`;
  const found = await tryGit(repository, ['for-each-ref', '--sort=-refname', '--format=%(objectname)', pattern]);
  return found?.split('\n')[0] || undefined;
}

/** The day in UTC, such as `2026-11-26`. */
function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Undefined for a ref that was not made by `saveRest`. */
function toSavedDay(ref: string): string | undefined {
  return /^\d{4}-\d\d-\d\d(?=\/)/.exec(ref.slice(DISCARDED.length))?.[0];
}

/** True if a ref of the original keeps a commit. An object without a ref can be left by a killed process. */
async function isReachable(repository: string, commit: string): Promise<boolean> {
  const refs = ['--not', '--exclude=refs/klaus/copies/*', '--all'];
  const { code, stdout } = await runGit(repository, ['rev-list', '-n', '1', commit, ...refs]);
  return code === 0 && stdout === '';
}

/** Removes a copy: its folder, its ref in the original and its record. Can be repeated after a kill. */
export async function removeCopy(record: CopyRecord): Promise<void> {
  const { path, repository } = record;
  const removed = `${path}.removed`;
  await removeTree(removed);
  if (existsSync(path)) renameSync(path, removed);
  await removeTree(removed);
  if (existsSync(repository)) await runGit(repository, ['update-ref', '-d', toPin(record)]);
  deleteRecord(record);
}
