import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toHostEnvironment } from '@klaus/adapters/system';

/**
 * The user's name and e-mail address from their git configuration, as lines for another configuration file. Empty if
 * neither is set, or without git.
 */
export function readGitIdentity(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  if (!hasConfiguration(env)) return Promise.resolve('');
  const words = ['config', '--global', '--includes', '--null', '--get-regexp', '^user\\.(name|email)$'];
  return new Promise((resolve) => {
    // Runs outside any repository, because an agent can write the configuration of a repository.
    execFile('git', words, { env: toHostEnvironment(env), cwd: '/', timeout: 5_000 }, (_, stdout) => {
      const found = new Map(
        stdout
          .split('\0')
          .filter(Boolean)
          .map((entry) => {
            const at = entry.indexOf('\n');
            return [entry.slice('user.'.length, at), entry.slice(at + 1)] as const;
          }),
      );
      const lines = ['name', 'email'].flatMap((key) => {
        const value = found.get(key);
        return value === undefined ? [] : [`\t${key} = "${value.replaceAll(/["\\]/g, '\\$&')}"\n`];
      });
      // Commands cannot access signing keys.
      resolve(
        lines.length === 0 ? '' : `[user]\n${lines.join('')}[commit]\n\tgpgsign = false\n[tag]\n\tgpgsign = false\n`,
      );
    });
  });
}

/** False if `git config --global` has no file to read. @source https://git-scm.com/docs/git-config#FILES */
function hasConfiguration(env: Readonly<Record<string, string | undefined>>): boolean {
  const { GIT_CONFIG_GLOBAL: named, HOME: home = '', XDG_CONFIG_HOME: xdg = join(home, '.config') } = env;
  if (named !== undefined) return true;
  return existsSync(join(home, '.gitconfig')) || existsSync(join(xdg || join(home, '.config'), 'git/config'));
}
