import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toHostEnvironment } from '@klaus/adapters/system';
import { runProgram } from './run-program.ts';

/** The user's name and e-mail address as lines of a git configuration. Empty if neither is set, or without git. */
export async function readGitIdentity(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  if (!hasConfiguration(env)) return '';
  const args = ['config', '--global', '--includes', '--null', '--get-regexp', '^user\\.(name|email)$'];
  // Runs outside any repository, because an agent can write the configuration of a repository.
  const { stdout } = await runProgram('git', args, { env: toHostEnvironment(env), cwd: '/', timeout: 5_000 });
  // Of several values the last one counts.
  const found = new Map(stdout.matchAll(/user\.(name|email)\n([^\0]*)\0/g).map(([, key, value]) => [key!, value!]));
  const lines = ['name', 'email'].flatMap((key) => {
    const value = found.get(key);
    return value === undefined ? [] : [`\t${key} = "${value.replaceAll(/["\\]/g, '\\$&')}"\n`];
  });
  // Commands cannot access signing keys.
  return lines.length === 0 ? '' : `[user]\n${lines.join('')}[commit]\n\tgpgsign = false\n[tag]\n\tgpgsign = false\n`;
}

/** False if `git config --global` has no file to read. @source https://git-scm.com/docs/git-config#FILES */
function hasConfiguration(env: Readonly<Record<string, string | undefined>>): boolean {
  const { GIT_CONFIG_GLOBAL: named, HOME: home = '', XDG_CONFIG_HOME: xdg = join(home, '.config') } = env;
  if (named !== undefined) return true;
  return existsSync(join(home, '.gitconfig')) || existsSync(join(xdg || join(home, '.config'), 'git/config'));
}
