import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * All entries below a folder with their types, modes, and contents, by path.
 *
 * @param options.objects False: without the objects of repositories. Default true.
 */
export function listTree(root: string, { objects = true }: { objects?: boolean } = {}): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const stat = lstatSync(path);
      const mode = (stat.mode & 0o7777).toString(8);
      const key = relative(root, path);
      if (!objects && /(?:^|\/)\.git\/objects$/.test(key)) continue;
      if (stat.isDirectory()) {
        found[key] = `directory ${mode}`;
        visit(path);
      } else if (stat.isSymbolicLink()) found[key] = `link ${readlinkSync(path)}`;
      else found[key] = `file ${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16)}`;
    }
  };
  visit(root);
  return found;
}

/** The output of git, with an identity and without the configuration of this machine. */
export function git(folder: string, ...words: string[]): string {
  const identity = ['-c', 'user.name=Klaus', '-c', 'user.email=klaus@example.com', '-c', 'gc.auto=0'];
  return execFileSync('git', ['-C', folder, ...identity, ...words], {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_OPTIONAL_LOCKS: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
