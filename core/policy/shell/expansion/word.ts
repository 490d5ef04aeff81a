import { singleQuote } from '../../../protocol/quote-shell-word.ts';

/**
 * A word as far as it is known: text in which characters of the private use area mark the parts that are only known
 * at run time. A line that contains such characters is not evaluated.
 */
export type Word = string;

/** Any text: from an environment variable, a file or a program. */
export const UNKNOWN = '\uE000';
/** `*`: any text without a slash; never a leading dot. */
export const STAR = '\uE001';
/** `?` or `[…]`: one character. */
export const ONE = '\uE002';
/** Any name, also with a leading dot: what `ls -A` or `find` prints. */
export const ANY_NAME = '\uE003';
/** Text computed from known text in a way that is not evaluated: it may hide something. */
export const OPAQUE = '\uE004';

const MARK = /[\uE000-\uE004]/;
const GLOB = /[\uE001-\uE003]/;
const DYNAMIC = /[\uE000\uE004]/;

export function isKnown(word: Word): boolean {
  return !MARK.test(word);
}

export function hasGlob(word: Word): boolean {
  return GLOB.test(word);
}

export function isDynamic(word: Word): boolean {
  return DYNAMIC.test(word);
}

/** True for a word with a part that was computed from known text. */
export function isOpaque(word: Word): boolean {
  return word.includes(OPAQUE);
}

/** Turns `*`, `?` and `[…]` into marks, for programs that read patterns themselves, such as find and git. */
export function toGlobWord(word: Word): Word {
  return word
    .replace(/\[[^\]/]{1,64}\]/g, ONE)
    .replaceAll('*', STAR)
    .replaceAll('?', ONE);
}

/** Turns marks of names into plain pattern characters: what a program gets if nothing matches. */
export function withoutGlob(word: Word): Word {
  return word.replaceAll(STAR, '*').replaceAll(ONE, '?').replaceAll(ANY_NAME, '*');
}

/** True if the word can expand to `text`. Iterative, O(n × m). */
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

export function countKnown(word: Word): number {
  return word.replace(/[\uE000-\uE004]/g, '').length;
}

const LONGEST_SHOWN = 400;

/** The word for display, cut after 400 characters: quoted if needed, patterns unquoted, `…` for unknown text. */
export function showWord(word: Word): string {
  return showFullWord(word.length > LONGEST_SHOWN ? `${word.slice(0, LONGEST_SHOWN)}${UNKNOWN}` : word);
}

/** As {@link showWord}, but not cut: different known words never look the same. */
export function showFullWord(word: Word): string {
  if (word === '') return "''";
  // Stored approvals contain these words, so the words in quotes never change; for a shell there are more.
  const quoted = word.replace(/[^\uE000-\uE004]+/g, (text) =>
    /^[\w@%+=:,./~-]+$/.test(text) ? text : singleQuote(text),
  );
  return withoutGlob(quoted).replace(/[\uE000\uE004]/g, '…');
}
