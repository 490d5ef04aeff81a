import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CopyRecord } from './copy-record.ts';
import { git, runGit, tryGit } from './git.ts';
import { listChangedSubmodules } from './submodules.ts';

/** What a working copy contains that its repository does not. */
export interface CopyFacts {
  /**
   * `clean`: nothing. `changed`: uncommitted changes. `ahead`: only commits. `merged`: its target contains its changes,
   * also by a squash or a rebase. `gone`: the folder was deleted. `unreadable`: Git cannot read it, or the original is gone.
   */
  state: 'clean' | 'changed' | 'ahead' | 'merged' | 'gone' | 'unreadable';
  /** Commits that the target does not contain. */
  ahead: number;
  /** Files with uncommitted changes; ignored files do not count. */
  changes: number;
}

export async function readCopyFacts(record: CopyRecord): Promise<CopyFacts> {
  const { path } = record;
  if (!existsSync(path)) return { state: 'gone', ahead: 0, changes: 0 };
  const target = await findTarget(record, record.target);
  const [status, ahead] = await Promise.all([
    tryGit(path, ['status', '--porcelain', '-z']),
    tryGit(path, ['rev-list', '--count', `${target ?? record.base}..HEAD`]),
  ]);
  if (status === undefined || ahead === undefined) return { state: 'unreadable', ahead: 0, changes: 0 };
  const changes = status.split('\0').filter((entry) => /^.{2} /.test(entry)).length;
  const facts = { ahead: Number(ahead), changes };
  if (changes > 0 || (await listChangedSubmodules(path)).length > 0) return { state: 'changed', ...facts };
  const head = await tryGit(path, ['rev-parse', 'HEAD']);
  // Another process removes it now.
  if (head === undefined) return { state: 'gone', ahead: 0, changes: 0 };
  if (facts.ahead === 0) return { state: head === record.base ? 'clean' : 'merged', ...facts };
  const isMerged = target !== undefined && (await changesNothing(path, { target, head }));
  return { state: isMerged ? 'merged' : 'ahead', ...facts };
}

/** The present commit of a branch of the original; undefined if there is none. */
export async function findTarget({ repository }: CopyRecord, branch: string | undefined): Promise<string | undefined> {
  if (branch === undefined || !existsSync(repository)) return undefined;
  return tryGit(repository, ['rev-parse', '--verify', '-q', `refs/heads/${branch}^{commit}`]);
}

/** True if a merge would leave the files of the target unchanged: they have been merged, squashed or rebased already. */
async function changesNothing(path: string, { target, head }: { target: string; head: string }): Promise<boolean> {
  const { code, stdout } = await runGit(path, ['merge-tree', '--write-tree', target, head]);
  return code === 0 && stdout.trim() === (await tryGit(path, ['rev-parse', `${target}^{tree}`]));
}

/** True while a merge in the copy waits for the solution of its conflicts. */
export async function isMerging(path: string): Promise<boolean> {
  return existsSync(join(await git(path, ['rev-parse', '--absolute-git-dir']), 'MERGE_HEAD'));
}
