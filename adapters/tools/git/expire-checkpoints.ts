import { execFile } from 'node:child_process';
import { toHostEnvironment } from '@klaus/adapters/system';
import { readUlidTime } from '@klaus/core/protocol';

/** Private refs of checkpoints, each with its session's id behind it. */
export const CHECKPOINTS = 'refs/klaus/checkpoints/';

export interface ExpireOptions {
  /** Ids of the sessions whose checkpoints stay. */
  keep: ReadonlySet<string>;
  /** Unix milliseconds: checkpoints of younger sessions stay too, as another state folder may know them. */
  since: number;
  /** Only counts. */
  dryRun: boolean;
}

/**
 * Deletes the refs of checkpoints that no session needs any more. Git frees their objects at its next `gc`. Runs no
 * hook and reads no object.
 *
 * @param folder Absolute path in the repository.
 * @returns How many were, or would be, deleted; 0 without Git or a repository.
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

/** Output of a git command; undefined where it failed. */
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
