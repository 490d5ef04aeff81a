import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { KlausError } from '@klaus/core/protocol';

export interface Mount {
  /** Absolute. */
  path: string;
  /** Such as `ext4`. */
  type: string;
}

/** The mounts of this process; empty without /proc. Source: proc_pid_mountinfo(5). */
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

/** Mounts at or below a folder, innermost first. */
export function mountsBelow(folder: string): Mount[] {
  return listMounts()
    .filter(({ path }) => path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`))
    .toReversed();
}

/** Decodes spaces, tabs, line breaks and backslashes, which are octal numbers. */
function unescape(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/**
 * Mounts `upper` over `lower` at `merged`, all of them names in `folder`; relative names need no escaping. Renaming a
 * folder does not copy it (`redirect_dir`). Writing to a hard link creates a separate file, so that the upper directory
 * shows all changes (`index=off`).
 *
 * @throws Error with the message of mount(8).
 */
export async function mountOverlay(folder: string): Promise<void> {
  const options = 'lowerdir=lower,upperdir=upper,workdir=work,index=off,redirect_dir=on,metacopy=off,nosuid,nodev';
  await run('mount', ['-i', '-t', 'overlay', '-o', options, 'klaus-layer', 'merged'], folder);
}

/**
 * Unmounts everything at and below a folder, lazily if it is in use.
 *
 * @throws KlausError `sandbox.failed` when a mount remains.
 */
export async function unmountBelow(folder: string): Promise<void> {
  for (const { path } of mountsBelow(folder)) {
    try {
      await run('umount', ['-i', '--', path]);
    } catch {
      // It is in use, or another process has unmounted it. The check below decides.
      await run('umount', ['-i', '-l', '--', path]).catch(() => {});
    }
  }
  const left = mountsBelow(folder)[0];
  if (left) throw new KlausError('sandbox.failed', `${left.path} cannot be unmounted.`);
}

async function run(program: string, args: readonly string[], cwd = '/'): Promise<void> {
  // A fixed PATH, because these programs run with all rights of the user.
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
  await promisify(execFile)(program, args, { cwd, env }).catch((error: Error & { stderr?: string }) => {
    throw new Error(error.stderr?.trim() || error.message, { cause: error });
  });
}
