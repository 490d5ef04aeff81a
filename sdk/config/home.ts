import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The state folder: `KLAUS_HOME`, else `~/.klaus`. Absolute; nothing is created. */
export function toHome(env: Readonly<Record<string, string | undefined>>, cwd: string): string {
  const chosen = env['KLAUS_HOME'];
  if (chosen) return resolve(cwd, chosen);
  return join(env['HOME'] || homedir(), '.klaus');
}
