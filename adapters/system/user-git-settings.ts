import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findBlockingFile } from './blocking-file.ts';
import { isDistrusted, toHostPath } from './host-path.ts';

const READ_MS = 5_000;
/** The configuration of the machine. @source git-config(1), FILES */
const SYSTEM_FILE = '/etc/gitconfig';

/**
 * Git's settings of the user and of the machine, with those that `includeIf` adds for a folder. None is of a repository, or
 * of an included file that commands may write. Names are in lower case, except the part between the first and the last
 * dot. Of several values of one name the last one counts. Empty without a configuration, or without git.
 *
 * @param folder Absolute path. Default: none, so that no condition about a repository is true.
 */
export async function listUserGitSettings(
  env: Readonly<Record<string, string | undefined>>,
  folder = '/',
): Promise<[name: string, value: string][]> {
  if (!hasConfiguration(env)) return [];
  const isBlocked = findBlockingFile({ top: folder, gitDirs: [join(folder, '.git')] }) !== undefined;
  const found = isBlocked ? undefined : await list(env, folder);
  // Git reads nothing at all beside a repository whose configuration is invalid.
  return found ?? (await list(env, '/')) ?? [];
}

/** Git runs nothing that a configuration names in order to list it. */
function list(env: Readonly<Record<string, string | undefined>>, cwd: string): Promise<[string, string][] | undefined> {
  const { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM } = env;
  const variables = { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM };
  const options = { cwd, env: { ...variables, PATH: toHostPath(env['PATH']) }, timeout: READ_MS };
  return new Promise((resolve) => {
    execFile('git', ['config', '--list', '--null', '--show-scope', '--show-origin'], options, (error, stdout) => {
      resolve(error ? undefined : toPairs(stdout));
    });
  });
}

/** Each setting is its scope, its file, and its name with a line break and the value; a name alone is true. */
function toPairs(output: string): [string, string][] {
  const fields = output.split('\0');
  const pairs: [string, string][] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope, origin, entry] = fields.slice(at, at + 3) as [string, string, string];
    if (scope !== 'system' && scope !== 'global') continue;
    if (isDistrusted(origin.replace(/^file:/, ''))) continue;
    const end = entry.indexOf('\n');
    pairs.push(end < 0 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)]);
  }
  return pairs;
}

/** False if git has no file to read. @source https://git-scm.com/docs/git-config#FILES */
function hasConfiguration(env: Readonly<Record<string, string | undefined>>): boolean {
  const { GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, HOME: home = '', XDG_CONFIG_HOME: xdg } = env;
  if (GIT_CONFIG_GLOBAL !== undefined || GIT_CONFIG_SYSTEM !== undefined) return true;
  const files = [join(home, '.gitconfig'), join(xdg || join(home, '.config'), 'git/config'), SYSTEM_FILE];
  return files.some((file) => existsSync(file));
}
