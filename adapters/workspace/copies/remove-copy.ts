import { existsSync, renameSync } from 'node:fs';
import { basename } from 'node:path';
import { removeTree } from '../layer/remove-tree.ts';
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
 * @returns The refs.
 */
export async function saveRest({ repository, path, base }: CopyRecord, merged?: string): Promise<string[]> {
  if (!existsSync(path) || !existsSync(repository)) return [];
  const listed = await tryGit(path, ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/stash']);
  const head = await tryGit(path, ['rev-parse', 'HEAD']);
  const tips = new Map<string, string>();
  for (const line of [...(listed ?? '').split('\n').filter(Boolean), ...(head === undefined ? [] : [`${head} HEAD`])]) {
    const [commit, ref] = line.split(' ') as [string, string];
    if (!tips.has(commit) && commit !== merged) tips.set(commit, ref);
  }
  const missing: string[] = [];
  for (const commit of tips.keys()) if (!(await isReachable(repository, commit))) missing.push(commit);
  if (missing.length === 0) return [];
  await copyObjects({ from: path, to: repository }, { commits: missing, known: [base] });
  const refs: string[] = [];
  const day = toDay(Date.now());
  for (const commit of missing) {
    const ref = `${DISCARDED}${day}/${basename(path)}/${tips.get(commit)!.replace(/^refs\/(?:heads\/)?/, '')}`;
    await git(repository, ['update-ref', ref, commit]);
    refs.push(ref);
  }
  return refs;
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
