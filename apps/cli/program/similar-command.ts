import { toEditDistance } from '@klaus/sdk';

/**
 * The candidate that `word` is probably a misspelling of: it differs by one character in a short word, by two in a
 * longer one, or by two swapped neighbours. A word with less similarity to a command is a prompt.
 */
export function findSimilarCommand(word: string, candidates: readonly string[]): string | undefined {
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = toEditDistance(word.toLowerCase(), candidate);
    const allowed = Math.min(word.length, candidate.length) >= 6 ? 2 : 1;
    const isSimilar = distance <= allowed || (distance === 2 && toLetters(word) === toLetters(candidate));
    if (isSimilar && candidate.length > 2 && (best === undefined || distance < best.distance))
      best = { candidate, distance };
  }
  return best?.candidate;
}

function toLetters(word: string): string {
  return word.toLowerCase().split('').toSorted().join('');
}
