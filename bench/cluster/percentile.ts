/** The value that `percent` of the values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  if (values.length === 0) throw new Error('There is no percentile of no values.');
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))]!;
}
