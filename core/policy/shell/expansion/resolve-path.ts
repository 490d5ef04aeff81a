import { HOME } from '../interpreter/scope.ts';
import type { Word } from './word.ts';

/** An absolute path without `.`, `..` and doubled slashes. A `..` removes an unknown part before it. */
export function resolvePath(path: Word, cwd: string): string {
  const full = path.startsWith('/')
    ? path
    : path === '~' || path.startsWith('~/')
      ? HOME + path.slice(1)
      : `${cwd}/${path}`;
  const out: string[] = [];
  for (const part of full.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') out.pop();
    else out.push(part);
  }
  return `/${out.join('/')}`;
}
