/**
 * The candidate closest to what was typed, by edit distance, if it is close enough to be a slip: at most a
 * third of the length, or one a prefix of the other.
 */
export function nearest(typed: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Infinity;
  const wanted = typed.toLowerCase();
  for (const candidate of candidates) {
    const other = candidate.toLowerCase();
    const isPrefix = wanted.length > 2 && (other.startsWith(wanted) || wanted.startsWith(other));
    const distance = isPrefix ? 0.5 : editDistance(wanted, other);
    if (distance < bestDistance && (isPrefix || distance <= Math.max(1, Math.floor(wanted.length / 3)))) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Levenshtein distance. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + cost));
    }
    row = next;
  }
  return row[b.length]!;
}
