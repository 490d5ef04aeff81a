import { toNearest } from '@klaus/sdk';

/**
 * The candidate that `word` is probably a misspelling of: it differs by one character in a short word, by two in a
 * longer one, or by two swapped neighbours. A word with less similarity to a command is a prompt.
 */
export function findSimilarCommand(word: string, candidates: readonly string[]): string | undefined {
  const isLong = (candidate: string) => Math.min(word.length, candidate.length) >= 6;
  const isSwapped = (candidate: string) => toLetters(word) === toLetters(candidate);
  return toNearest(
    word,
    candidates.filter((candidate) => candidate.length > 2),
    { toLimit: (candidate) => (isLong(candidate) || isSwapped(candidate) ? 2 : 1) },
  );
}

function toLetters(word: string): string {
  return word.toLowerCase().split('').toSorted().join('');
}
