import { isBelow } from '../../path.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { resolvePath } from '../expansion/resolve-path.ts';
import { couldBe, hasGlob, isDynamic, toGlobWord, type Word } from '../expansion/word.ts';
import { HOME } from '../interpreter/scope.ts';
import type { HostFacts } from './host-facts.ts';

/** The absolute paths that a word can name, in each folder in which the command may run. */
export function toHostPaths(word: Word, { cwds }: Pick<SimpleCommand, 'cwds'>, { userHome }: HostFacts): Word[] {
  if (/\s/.test(word) || word.length > 1_024) return [];
  const candidates = [word];
  // `--file=x`, `HEAD:x`, `@x`, `if=x`, `file://x`.
  for (const match of word.matchAll(/[=:@,]/g)) candidates.push(word.slice(match.index + 1).replace(/^\/\/(?=\/)/, ''));
  const short = /^-[a-zA-Z](?=[~./])/.exec(word);
  if (short) candidates.push(word.slice(2));
  return candidates
    .filter((candidate) => candidate !== '')
    .flatMap((candidate) =>
      cwds.map((cwd) => {
        const path = resolvePath(candidate, cwd);
        return path === HOME || path.startsWith(`${HOME}/`) ? userHome + path.slice(HOME.length) : path;
      }),
    );
}

/** True for a path at or below the folder; a pattern counts if it can match. Case is ignored. */
export function canBeIn(path: Word, folder: string): boolean {
  if (!hasGlob(path) && !isDynamic(path)) return isBelow(path.toLowerCase(), folder.toLowerCase());
  const parts = toGlobWord(path).toLowerCase().split('/');
  const folders = folder.toLowerCase().split('/');
  if (parts.length < folders.length) return false;
  return folders.every((name, at) => {
    const part = parts[at] ?? '';
    // A part of which nothing is known says nothing.
    return (
      part === name || (/[^\uE000-\uE004]/.test(part) && couldBe(part, name, true)) || (isOnlyGlob(part) && at > 1)
    );
  });
}

function isOnlyGlob(part: string): boolean {
  return part !== '' && hasGlob(part) && !isDynamic(part) && !/[^\uE000-\uE004]/.test(part);
}

/** True for a folder that contains the other one. */
export function contains(path: Word, folder: string): boolean {
  return !isDynamic(path) && !hasGlob(path) && isBelow(folder.toLowerCase(), path.toLowerCase());
}
