import { existsSync, renameSync } from 'node:fs';
import { basename } from 'node:path';
import { removeTree } from '../layer/remove-tree.ts';
import { deleteRecord, toPin, type CopyRecord } from './copy-record.ts';
import { copyObjects, git, runGit, tryGit } from './git.ts';

/** Refs of the original with the work of discarded copies. */
export const DISCARDED = 'refs/klaus/discarded/';

/**
 * Saves every commit of a copy that the original does not have, on refs below `refs/klaus/discarded/NAME/`: branches,
 * HEAD, stashes.
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
  for (const commit of missing) {
    const ref = `${DISCARDED}${basename(path)}/${tips.get(commit)!.replace(/^refs\/(?:heads\/)?/, '')}`;
    await git(repository, ['update-ref', ref, commit]);
    refs.push(ref);
  }
  return refs;
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
