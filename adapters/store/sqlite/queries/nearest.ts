import { toEditDistance } from '@klaus/core/protocol';

/** Names of one thing that a user may mean. */
export interface Candidate {
  id: string;
  names: readonly string[];
}

/**
 * The candidate that the text was most likely meant to name, for "did you mean"; undefined when nothing
 * is close: more than a third of the characters would have to change. A text may be the beginning of a name.
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
