import { execFile } from 'node:child_process';
import { toHostEnvironment } from '@klaus/adapters/system';
import { readUlidTime } from '@klaus/core/protocol';

/** The prefix of the private refs of checkpoints. The session id follows. */
export const CHECKPOINTS = 'refs/klaus/checkpoints/';

export interface ExpireOptions {
  /** Sessions whose checkpoints are kept. */
  keep: ReadonlySet<string>;
  /** Unix milliseconds. Checkpoints of later sessions are kept too, because another state folder may have them. */
  since: number;
  dryRun: boolean;
}

/**
 * Deletes the refs of checkpoints without a session. The next `git gc` frees their objects. Runs no hook and reads no
 * object.
 *
 * @param folder Absolute path in the repository.
 * @returns The number of deleted refs, or of refs to delete; 0 without Git or a repository.
 */
export async function expireCheckpoints(folder: string, { keep, since, dryRun }: ExpireOptions): Promise<number> {
  const listed = await git(folder, ['for-each-ref', '--format=%(refname)', CHECKPOINTS]);
  const expired = (listed ?? '').split('\n').filter((ref) => {
    const session = ref.slice(CHECKPOINTS.length);
    const time = readUlidTime(session);
    return time !== undefined && time < since && !keep.has(session);
  });
  if (expired.length === 0 || dryRun) return expired.length;
  const input = expired.map((ref) => `delete ${ref}\0\0`).join('');
  return (await git(folder, ['update-ref', '-z', '--stdin'], input)) === undefined ? 0 : expired.length;
}

/** The output of a Git command; undefined if it failed. */
function git(folder: string, args: readonly string[], input = ''): Promise<string | undefined> {
  const settings = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];
  const env = { ...toHostEnvironment(), GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1' };
  return new Promise((resolve) => {
    const child = execFile(
      'git',
      ['--no-pager', ...settings, ...args],
      { cwd: folder, env, timeout: 60_000, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout) => resolve(error ? undefined : stdout),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
