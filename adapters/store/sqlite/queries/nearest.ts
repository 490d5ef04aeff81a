import { toEditDistance } from '@klaus/core/protocol';

/** The names of one candidate. */
export interface Candidate {
  id: string;
  names: readonly string[];
}

/**
 * The candidate whose name is nearest to the text, for "did you mean". Undefined when more than a third of the characters
 * of all names differ. The text may be a prefix of a name.
 */
export function findNearest(text: string, candidates: readonly Candidate[]): string | undefined {
  const wanted = text.toLowerCase();
  if (wanted === '') return undefined;
  let best: string | undefined;
  let least = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    for (const name of candidate.names) {
      const distance = toEditDistance(wanted, name.toLowerCase().slice(0, wanted.length));
      if (distance >= least) continue;
      least = distance;
      best = candidate.id;
    }
  }
  return best;
}
