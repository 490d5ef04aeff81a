/**
 * A word as far as it is known: plain text in which single characters of the private use area stand for what
 * only the running shell can know. A line that holds such characters itself is not understood at all.
 */
export type Word = string;

/** Any text: what a variable of the environment, a file or a program gave. */
export const UNKNOWN = '\uE000';
/** `*`: any text without a slash; never a leading dot. */
export const STAR = '\uE001';
/** `?` or `[…]`: one character. */
export const ONE = '\uE002';
/** Any name, with a leading dot too: what `ls -A` or `find` prints. */
export const ANY_NAME = '\uE003';
/** Text that was computed from known text in a way that is not followed: it may hide something. */
export const OPAQUE = '\uE004';

const MARK = /[\uE000-\uE004]/;
const GLOB = /[\uE001-\uE003]/;
const DYNAMIC = /[\uE000\uE004]/;

/** True for a word of which every character is known. */
export function isKnown(word: Word): boolean {
  return !MARK.test(word);
}

/** True for a word that holds a pattern of file names. */
export function hasGlob(word: Word): boolean {
  return GLOB.test(word);
}

/** True for a word of which a part only shows when it runs. */
export function isDynamic(word: Word): boolean {
  return DYNAMIC.test(word);
}

/** True for a word with a part that was computed from known text. */
export function isOpaque(word: Word): boolean {
  return word.includes(OPAQUE);
}

/** True for a line that brings marks of its own. */
export function hasMarks(line: string): boolean {
  return MARK.test(line);
}

/** `*`, `?` and `[…]` of a known text as marks: for programs that read patterns themselves, such as find and git. */
export function toGlobWord(word: Word): Word {
  return word
    .replace(/\[[^\]/]{1,64}\]/g, ONE)
    .replaceAll('*', STAR)
    .replaceAll('?', ONE);
}

/** The marks of names as plain pattern characters: what a program gets to see where nothing matches. */
export function withoutGlob(word: Word): Word {
  return word.replaceAll(STAR, '*').replaceAll(ONE, '?').replaceAll(ANY_NAME, '*');
}

/** True when the word, with its marks, can stand for `text`. Iterative, at worst length times length. */
export function couldBe(word: Word, text: string, dotglob = false): boolean {
  let at = 0;
  let from = 0;
  let star = -1;
  let mark = 0;
  while (at < text.length) {
    const char = word[from];
    if (char !== undefined && isRun(char)) {
      star = from++;
      mark = at;
      continue;
    }
    if (char === text[at] || (char === ONE && text[at] !== '/' && (dotglob || !isNameStart(text, at)))) {
      at++;
      from++;
      continue;
    }
    if (star < 0) return false;
    const run = word[star] ?? '';
    if ((run === STAR || run === ANY_NAME) && text[mark] === '/') return false;
    if (run === STAR && !dotglob && isNameStart(text, mark)) return false;
    mark++;
    at = mark;
    from = star + 1;
  }
  while (from < word.length && isRun(word[from] ?? '')) from++;
  return from === word.length;
}

function isRun(char: string): boolean {
  return char === UNKNOWN || char === OPAQUE || char === STAR || char === ANY_NAME;
}

function isNameStart(text: string, at: number): boolean {
  return text[at] === '.' && (at === 0 || text[at - 1] === '/');
}

/** How many characters of the word are known. */
export function countKnown(word: Word): number {
  return word.replace(/[\uE000-\uE004]/g, '').length;
}

const LONGEST_SHOWN = 400;

/** The word for a reader, cut after 400 characters: quoted where needed, patterns bare, `…` for what is not known. */
export function showWord(word: Word): string {
  return showFullWord(word.length > LONGEST_SHOWN ? `${word.slice(0, LONGEST_SHOWN)}${UNKNOWN}` : word);
}

/** As {@link showWord}, but uncut: different known words never look the same. */
export function showFullWord(word: Word): string {
  if (word === '') return "''";
  const quoted = word.replace(/[^\uE000-\uE004]+/g, (text) =>
    /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`,
  );
  return withoutGlob(quoted).replace(/[\uE000\uE004]/g, '…');
}
