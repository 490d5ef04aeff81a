import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { KlausError } from '@klaus/core/protocol';

/** One row of what is mounted. */
export interface Mount {
  /** Absolute. */
  path: string;
  /** Such as `ext4`. */
  type: string;
}

/** What is mounted, as this process sees it; empty where there is no /proc. Source: proc_pid_mountinfo(5). */
export function listMounts(): Mount[] {
  let text: string;
  try {
    text = readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    const fields = line.split(' ');
    const path = fields[4];
    const type = fields[fields.indexOf('-', 6) + 1];
    return path === undefined || type === undefined ? [] : [{ path: unescape(path), type }];
  });
}

/** Mount points at or below a folder, the innermost first. */
export function mountsBelow(folder: string): Mount[] {
  return listMounts()
    .filter(({ path }) => path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`))
    .toReversed();
}

/** Blanks, tabs, line breaks and backslashes stand as octal numbers. */
function unescape(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/**
 * Mounts `upper` over `lower` at `merged`, all of them names in `folder`: relative names need no escaping,
 * whatever the folder is called. A renamed folder stays one (`redirect_dir`); a hard link that is written to
 * becomes a file of its own, so that the upper directory tells everything (`index=off`).
 *
 * @throws Error with the words of mount(8).
 */
export async function mountOverlay(folder: string): Promise<void> {
  const options = 'lowerdir=lower,upperdir=upper,workdir=work,index=off,redirect_dir=on,metacopy=off,nosuid,nodev';
  await run('mount', ['-i', '-t', 'overlay', '-o', options, 'klaus-layer', 'merged'], folder);
}

/**
 * Unmounts everything at and below a folder, lazily where it is still in use.
 *
 * @throws KlausError `sandbox.failed` when something stays mounted.
 */
export async function unmountBelow(folder: string): Promise<void> {
  for (const { path } of mountsBelow(folder)) {
    try {
      await run('umount', ['-i', '--', path]);
    } catch {
      // In use, or another process was quicker: what counts is whether it is still there.
      await run('umount', ['-i', '-l', '--', path]).catch(() => {});
    }
  }
  const left = mountsBelow(folder)[0];
  if (left) throw new KlausError('sandbox.failed', `${left.path} cannot be unmounted.`);
}

function run(program: string, args: readonly string[], cwd = '/'): Promise<void> {
  // Not the user's PATH: these run with every right the user has.
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd, env }, (error, _stdout, stderr) => {
      if (error) reject(new Error(stderr.trim() || error.message, { cause: error }));
      else resolve();
    });
  });
}
