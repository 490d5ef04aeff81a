import { execFile } from 'node:child_process';
import { toHostPath } from '@klaus/adapters/system';

/** Git's settings of the user, by their names in lower case. They are no part of any repository. */
export type UserGitSettings = ReadonlyMap<string, string>;

const TIMEOUT_MS = 5_000;

/**
 * Reads the settings of the user and of the machine. Sandboxes do not see them, because they can name programs.
 *
 * @returns Empty if there are none, or if git cannot read them.
 */
export async function readUserGitSettings(env: NodeJS.ProcessEnv = process.env): Promise<UserGitSettings> {
  const scopes = await Promise.all(['--system', '--global'].map((scope) => list(scope, env)));
  return new Map(scopes.flat());
}

function list(scope: string, env: NodeJS.ProcessEnv): Promise<[string, string][]> {
  const { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM } = env;
  const variables = { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM };
  const options = { cwd: '/', env: { ...variables, PATH: toHostPath() }, timeout: TIMEOUT_MS };
  return new Promise((resolve) => {
    execFile('git', ['config', scope, '--includes', '--null', '--list'], options, (error, stdout) => {
      resolve(error ? [] : toPairs(stdout));
    });
  });
}

/** Each is a name, a line break and the value; a name alone is true. */
function toPairs(output: string): [string, string][] {
  return output
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const at = entry.indexOf('\n');
      return at < 0 ? [entry.toLowerCase(), 'true'] : [entry.slice(0, at).toLowerCase(), entry.slice(at + 1)];
    });
}

/** True for a value that git takes for true. */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^(?:true|yes|on|1)$/i.test(value);
}
