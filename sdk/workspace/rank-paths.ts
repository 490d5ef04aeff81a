import { go, snapshot } from 'fuzzysort';

/** Added to the score for a match at the beginning of a name, or in it; scores are from 0 to 1. */
const NAME_START = 0.1;
const IN_NAME = 0.05;
/** Subtracted for each character of a path, so that of equal matches the shorter comes first. */
const LENGTH = 1e-5;

/**
 * Makes paths searchable. The returned function finds paths that contain all characters of a query in order, ignoring case,
 * the best match first: those found in the name before those in its folders, at the beginnings of words before
 * those within, side by side before scattered, and short paths before long ones.
 */
export function indexPaths(paths: readonly string[]): (query: string, limit: number) => string[] {
  const index = snapshot(paths);
  return (query, limit) => {
    if (query.trim() === '') return paths.toSorted(compareLengths).slice(0, limit);
    const found = go(query, index, {
      limit,
      threshold: 0,
      scoreFn({ target, indexes, score }) {
        const name = target.lastIndexOf('/') + 1;
        const first = indexes[0] ?? -1;
        return score + (first === name ? NAME_START : first > name ? IN_NAME : 0) - target.length * LENGTH;
      },
    });
    return found
      .toSorted((a, b) => b.score - a.score || compareLengths(a.target, b.target))
      .map(({ target }) => target);
  };
}

function compareLengths(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}
