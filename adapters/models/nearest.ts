/** The candidate that needs the fewest single-character edits, or undefined when none is at all alike. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Infinity;
  for (const candidate of candidates) {
    const distance = countEdits(text.toLowerCase(), candidate.toLowerCase());
    if (distance < least && distance <= Math.max(text.length, candidate.length) / 2) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

/** Levenshtein distance, one row at a time. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
