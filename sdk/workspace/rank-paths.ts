import { go, snapshot } from 'fuzzysort';

/** Added where a path is found by the beginning of its name, or anywhere in it; scores are from 0 to 1. */
const NAME_START = 0.1;
const IN_NAME = 0.05;
/** Taken away for each character of a path: of two that fit alike the short one comes first. */
const LENGTH = 1e-5;

/**
 * Makes paths searchable. What it returns finds those that hold all characters of a query in its order, whatever their
 * case, the likeliest first: those found in the name before those in its folders, at the beginnings of words before
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
