import { placeOf, placesBelow } from '../../policy/index.ts';
import type { Work } from '../loop/work.ts';

/** What the questions about the approved calls of a turn named. An approval covers nothing else. */
export interface Named {
  /** @param path Relative to the workspace. @param isGone True for a deletion, which a folder above names too. */
  hasPath: (path: string, isGone?: boolean) => boolean;
  /** @param ref A complete name, such as `refs/heads/main`. */
  hasRef: (ref: string) => boolean;
  /** @param path A file of git's own data that changes what git finds, such as `.git/info/exclude`. */
  hasGitFile: (path: string) => boolean;
}

const SEPARATORS = /[\s'"`;|&()<>{}[\],=$\\]+/;
/** Words of a command that name the files of git's own data. */
const GIT_WORDS: readonly (readonly [file: RegExp, word: RegExp])[] = [
  [/\/refs\/replace\//, /^replace$/],
  [/\/info\/grafts$/, /(?:^|\/)grafts$/],
  [/\/info\/exclude$/, /(?:^|\/)info\/exclude$/],
  [/\/shallow$/, /^(?:--depth|--deepen|--unshallow|--shallow-since|--shallow-exclude)$|(?:^|\/)\.git\/shallow$/],
];

export async function readNamed(work: Work): Promise<Named> {
  const texts = work.state.turnEffects?.approved ?? [];
  if (texts.length === 0) return { hasPath: () => false, hasRef: () => false, hasGitFile: () => false };
  const { root } = await work.workspace();
  const words = new Set(texts.flatMap((text) => text.split(SEPARATORS)).map((word) => toWord(word, root)));
  words.delete('');
  const isIn = (path: string, word: string): boolean => path === word || path.startsWith(`${word}/`);
  const names = (path: string, word: string, isGone: boolean): boolean => {
    const isPlace = placeOf(word) !== undefined || placesBelow(word).length > 0;
    if (isIn(path, word)) return path === word || isPlace || isGone;
    return isPlace && isIn(path.slice(path.lastIndexOf(`/${word}`) + 1), word);
  };
  return {
    hasPath: (path, isGone = false) => [...words].some((word) => names(path, word, isGone)),
    hasRef: (ref) => words.has(ref) || words.has(ref.replace(/^refs\/(?:heads\/|tags\/)?/, '')),
    hasGitFile: (path) =>
      GIT_WORDS.some(([file, word]) => file.test(path) && [...words].some((each) => word.test(each))),
  };
}

function toWord(word: string, root: string): string {
  const inside = word.startsWith(`${root}/`) ? word.slice(root.length + 1) : word;
  return inside.replace(/^(?:\.\/+)+/, '').replace(/[/.:]+$/, '');
}
