import { lstatSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { KlausError } from '@klaus/core/klaus-error';

/**
 * The state folder: `KLAUS_HOME`, else `~/.klaus`. Absolute, with resolved links as far as it exists, so that each check of
 * a path sees the files. Nothing is created.
 *
 * @param given Instead of that of the environment.
 * @throws KlausError `config` for a folder of another user, who could have planted settings and sessions in it.
 */
export function toHome(env: Readonly<Record<string, string | undefined>>, cwd: string, given?: string): string {
  const home = toReal(toNamedHome(env, cwd, given));
  if (!isOfOther(home)) return home;
  throw new KlausError('config', `The state folder ${home} belongs to another user.`, {
    hint: 'Set KLAUS_HOME to a folder of your own.',
  });
}

/** True if neither this user nor the administrator owns the folder. The administrator uses folders of any user. */
function isOfOther(folder: string): boolean {
  const own = process.getuid?.();
  if (own === undefined || own === 0) return false;
  try {
    return ![own, 0].includes(statSync(folder).uid);
  } catch {
    return false; // What cannot be opened is reported when it is opened.
  }
}

/** The state folder as the user names it, absolute. */
export function toNamedHome(env: Readonly<Record<string, string | undefined>>, cwd: string, given?: string): string {
  if (given !== undefined) return resolve(given);
  const chosen = env['KLAUS_HOME'];
  if (chosen) return resolve(cwd, chosen);
  return join(toUserHome(env), '.klaus');
}

/** The home folder of the user: `HOME`, else the one of the system's user database. */
export function toUserHome(env: Readonly<Record<string, string | undefined>>): string {
  return env['HOME'] || homedir();
}

/** A broken link keeps its name, for the error about it. */
function toReal(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink || path === dirname(path) ? path : join(toReal(dirname(path)), basename(path));
  }
}
