import { median } from '../measure.ts';

export type Estimate = ReturnType<typeof toEstimate>;

const OUTSIDE = 0.025;

/**
 * The median with the interval that holds the true one in 95 of 100 such series: between two of the sorted values, and
 * undefined where there are too few for one. It assumes nothing of how the values are spread:
 * each lies below the true median with probability one half, so the number of those that do is binomial.
 *
 * @throws Error for no values.
 * @source https://en.wikipedia.org/wiki/Median#Confidence_interval (order statistics, sign test)
 */
export function toEstimate(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  const count = sorted.length;
  // The largest rank from either end that leaves at most 2.5 % outside.
  let rank = 0;
  let below = 0;
  for (let term = 0.5 ** count; below + term <= OUTSIDE; rank++) {
    below += term;
    term *= (count - rank) / (rank + 1);
  }
  const interval = rank === 0 ? undefined : { low: sorted[rank - 1]!, high: sorted[count - rank]! };
  return { median: median(sorted), interval };
}
