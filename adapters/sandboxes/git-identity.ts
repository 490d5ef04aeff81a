import { execFile } from 'node:child_process';
import { toHostEnvironment } from '@klaus/adapters/system';

/**
 * The user's name and address from their own git configuration, as lines of another one; nothing else of it. Empty
 * where none is set, or without git.
 */
export function readGitIdentity(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const words = ['config', '--global', '--includes', '--null', '--get-regexp', '^user\\.(name|email)$'];
  return new Promise((resolve) => {
    // Not in a repository: its configuration is the agent's to write.
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
      // Keys to sign with are out of reach.
      resolve(
        lines.length === 0 ? '' : `[user]\n${lines.join('')}[commit]\n\tgpgsign = false\n[tag]\n\tgpgsign = false\n`,
      );
    });
  });
}
