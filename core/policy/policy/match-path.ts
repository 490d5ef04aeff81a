import { matchesGlob } from '../glob.ts';
import { hasShortName, readComparison, toCompared, type NameComparison } from '../names/name-comparison.ts';
import { toRelative } from '../places.ts';
import type { SimpleCommand } from '../shell/evaluation.ts';
import { resolvePath } from '../shell/expansion/resolve-path.ts';
import { couldBe, isDynamic, isKnown, withoutGlob, type Word } from '../shell/expansion/word.ts';
import type { Match } from './match-command.ts';
import { toSet } from '../word-list.ts';

/** True for a file that a glob matches, and for the folder that a glob names. */
export function coversPath(globs: readonly string[], relative: string): boolean {
  return globs.some((glob) => {
    const { plain, names } = readComparison(glob);
    return matchesGlob(relative, glob) || `${toCompared(relative, names)}/**` === toCompared(plain, names);
  });
}

/** True for a folder that may contain matches of the globs; always true for the workspace. */
export function isAbove(folder: string, globs: readonly string[]): boolean {
  if (folder === '') return globs.length > 0;
  return globs.some((glob) => {
    const { fixed, names } = toFixed(glob);
    const above = toCompared(folder, names);
    return fixed === above || fixed.startsWith(`${above}/`) || (fixed !== '' && hasShortName(folder, names));
  });
}

/** The folders that a glob names, as they are compared. */
function toFixed(glob: string): { fixed: string; names: NameComparison } {
  const { plain, names } = readComparison(glob);
  const parts = toCompared(plain.replace(/^\//, ''), names).split('/');
  const wild = parts.findIndex((part) => /[*?]/.test(part));
  return { fixed: parts.slice(0, wild < 0 ? -1 : wild).join('/'), names };
}

/** Commands that change files only by a redirection. */
const READERS = toSet('cat head tail wc ls grep diff cmp stat file less cd test');

/**
 * A file of the globs that a command names, in its words or redirections. The effect of the program is
 * not known: for changes the result is `possible`, unless a redirection writes to the file.
 *
 * @param rule.folders Absolute paths of the workspace and of the folders beside it, to which the globs are relative.
 * @param kind `write` ignores files that are only read.
 */
export function findNamedPath(
  command: SimpleCommand,
  rule: { kind: 'read' | 'write'; globs: readonly string[]; folders: readonly string[] },
): { path: string; match: NonNullable<Match> } | undefined {
  const { kind } = rule;
  const writes = command.redirects.filter(({ operator }) => operator.includes('>')).map(({ target }) => target);
  const reads = command.redirects.filter(({ operator }) => operator === '<').map(({ target }) => target);
  const words = kind === 'write' && READERS.has(command.name) ? [] : command.argv.slice(1);
  const found = [...writes, ...words, ...(kind === 'read' ? reads : [])].flatMap((word, index) => {
    const named = findIn(word, command, rule);
    if (!named) return [];
    const isCertain = named.match === 'certain' && (kind === 'read' || index < writes.length);
    return [{ path: named.path, match: isCertain ? ('certain' as const) : ('possible' as const) }];
  });
  return found.find(({ match }) => match === 'certain') ?? found[0];
}

/** The word itself, or the part after its equals sign or colon (`HEAD:x`), relative to every possible folder. */
function findIn(
  word: Word,
  { cwds, dotglob }: SimpleCommand,
  { globs, folders }: { globs: readonly string[]; folders: readonly string[] },
): { path: string; match: NonNullable<Match> } | undefined {
  let possible: string | undefined;
  for (const text of new Set([word, word.slice(word.indexOf('=') + 1), word.slice(word.indexOf(':') + 1)])) {
    const meant = cwds.flatMap((cwd) => folders.map((folder) => toRelative(resolvePath(text, cwd), folder)));
    for (const relative of meant) {
      if (relative === undefined || relative === '') continue;
      const match = matchPath(relative, globs, dotglob);
      if (match === 'certain') return { path: withoutGlob(relative), match };
      if (match === 'possible') possible ??= withoutGlob(relative);
    }
  }
  return possible === undefined ? undefined : { path: possible, match: 'possible' };
}

function matchPath(relative: Word, globs: readonly string[], dotglob: boolean): Match {
  if (isKnown(relative)) return coversPath(globs, relative) ? 'certain' : undefined;
  const parts = relative.split('/');
  const firstUnknown = parts.findIndex((part) => !isKnown(part));
  const known = parts.slice(0, firstUnknown).join('/');
  if (known !== '' && coversPath(globs, known)) return 'certain';
  // A word with a variable may name any file: alone it does not match.
  if (isDynamic(relative)) return undefined;
  const isPossible = globs.some((glob) => {
    const { fixed, names } = toFixed(glob);
    const count = fixed === '' ? 0 : fixed.split('/').length;
    if (count > 0) return couldBe(toCompared(parts.slice(0, count).join('/'), names), fixed, dotglob);
    return matchesGlob(withoutGlob(relative), glob);
  });
  return isPossible ? 'possible' : undefined;
}
