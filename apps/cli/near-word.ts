/**
 * The candidate that `word` is probably a misspelling of, if any: one slip in a short word, two in a longer
 * one. A swap of neighbours counts as one.
 */
export function findNearWord(word: string, candidates: readonly string[]): string | undefined {
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = toDistance(word.toLowerCase(), candidate);
    const allowed = Math.min(word.length, candidate.length) >= 6 ? 2 : 1;
    if (distance <= allowed && candidate.length > 2 && (best === undefined || distance < best.distance))
      best = { candidate, distance };
  }
  return best?.candidate;
}

/** Optimal string alignment distance. */
function toDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const differs = a[row - 1] === b[column - 1] ? 0 : 1;
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + differs);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, before[column - 2]! + 1);
      }
      current.push(cost);
    }
    before = last;
    last = current;
  }
  return last[b.length]!;
}
