import { toEditDistance } from '@klaus/sdk';

/**
 * The candidate that `word` is probably a misspelling of, if any: one slip in a short word, two in a longer
 * one, or two neighbours swapped. Narrower than a "did you mean": a word that only resembles a command is a
 * prompt.
 */
export function findNearWord(word: string, candidates: readonly string[]): string | undefined {
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = toEditDistance(word.toLowerCase(), candidate);
    const allowed = Math.min(word.length, candidate.length) >= 6 ? 2 : 1;
    const isNear = distance <= allowed || (distance === 2 && toLetters(word) === toLetters(candidate));
    if (isNear && candidate.length > 2 && (best === undefined || distance < best.distance)) {
      best = { candidate, distance };
    }
  }
  return best?.candidate;
}

function toLetters(word: string): string {
  return word.toLowerCase().split('').toSorted().join('');
}
