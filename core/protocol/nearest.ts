export interface NearestOptions {
  /** Compares the word with the beginning of each candidate. Default false. */
  isBeginning?: boolean;
  /** The largest distance that is near. Default: a third of the letters of the word, at least 2. */
  toLimit?: (candidate: string) => number;
}

/** The candidate that is spelled most like `word`, or undefined when none is near. Case does not count. */
export function toNearest(
  word: string,
  candidates: Iterable<string>,
  { isBeginning = false, toLimit }: NearestOptions = {},
): string | undefined {
  const wanted = word.toLowerCase();
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  let best: string | undefined;
  let least = Infinity;
  for (const candidate of candidates) {
    const text = candidate.toLowerCase();
    const distance = toEditDistance(wanted, isBeginning ? text.slice(0, wanted.length) : text);
    if (distance >= least || distance > (toLimit?.(candidate) ?? limit)) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

/** Levenshtein distance: insertions, deletions and replacements of one character. */
export function toEditDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
