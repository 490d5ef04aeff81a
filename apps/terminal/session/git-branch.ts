import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readForeignFileSync } from '@klaus/sdk/foreign-file';

/**
 * The branch of a folder, or the beginning of a commit; undefined outside of git. It reads two files and starts no
 * program: git itself would run what a repository configures.
 */
export function readBranch(folder: string): string | undefined {
  for (let path = folder; ; path = dirname(path)) {
    const head = readHead(join(path, '.git'));
    if (head !== undefined) {
      const ref = /^ref: refs\/heads\/(.+)$/m.exec(head);
      return ref ? ref[1]!.trim() : head.trim().slice(0, 10);
    }
    if (path === dirname(path)) return undefined;
  }
}

function readHead(git: string): string | undefined {
  try {
    if (statSync(git).isDirectory()) return readForeignFileSync(join(git, 'HEAD')).text;
    const [, target] = /^gitdir: (.+)$/m.exec(readForeignFileSync(git).text) ?? [];
    return target === undefined
      ? undefined
      : readForeignFileSync(join(resolve(dirname(git), target.trim()), 'HEAD')).text;
  } catch {
    return undefined;
  }
}
