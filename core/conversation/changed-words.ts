import { diffWordsWithSpace } from 'diff';

/** Characters of a line up to which its changed words are found. */
const MAX_WORDS = 400;
/** Part of a line that must be the same, so that marking the changed words helps. */
const MIN_SAME = 0.3;

/** A part of a changed line. */
export interface WordPiece {
  text: string;
  isChanged: boolean;
}

/** The parts of a line and of its replacement; undefined for long lines, and for lines with little in common. */
export function toChangedWords(
  removed: string,
  added: string,
): { removed: WordPiece[]; added: WordPiece[] } | undefined {
  if (removed.length > MAX_WORDS || added.length > MAX_WORDS) return undefined;
  const words = diffWordsWithSpace(removed, added);
  const same = words.reduce((sum, word) => (word.added || word.removed ? sum : sum + word.value.length), 0);
  if (same < MIN_SAME * Math.max(removed.length, added.length)) return undefined;
  const toSide = (side: 'added' | 'removed'): WordPiece[] =>
    words
      .filter((word) => !(side === 'added' ? word.removed : word.added))
      .map((word) => ({ text: word.value, isChanged: word[side] }));
  return { removed: toSide('removed'), added: toSide('added') };
}
