import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The state folder: `KLAUS_HOME`, else `~/.klaus`. Absolute; nothing is created. */
export function toHome(env: Readonly<Record<string, string | undefined>>, cwd: string): string {
  const chosen = env['KLAUS_HOME'];
  if (chosen) return resolve(cwd, chosen);
  return join(toUserHome(env), '.klaus');
}

/** The home folder of the user: `HOME`, else the one of the system's user database. */
export function toUserHome(env: Readonly<Record<string, string | undefined>>): string {
  return env['HOME'] || homedir();
}
