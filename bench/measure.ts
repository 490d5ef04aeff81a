/** The middle of the values, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('there is no median of nothing');
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/**
 * Measures several things in turn, so that what else happens on the machine meets all of them alike, and
 * gives the median of each. Every round begins with another one. A first round warms caches and does not count.
 *
 * @param things Each returns one measurement.
 */
export async function interleave<Name extends string>(
  things: Readonly<Record<Name, () => Promise<number>>>,
  rounds: number,
): Promise<Record<Name, number>> {
  const names = Object.keys(things) as Name[];
  const values = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const at of names.keys()) {
      const name = names[(at + round + 1) % names.length]!;
      const value = await things[name]();
      if (round >= 0) values.get(name)!.push(value);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(values.get(name)!)])) as Record<Name, number>;
}

/** Milliseconds that the work takes. */
export async function time(work: () => unknown): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Bytes that two texts have in common from their beginning. */
export function countCommonPrefix(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a[at] === b[at]) at++;
  return at;
}

/** Mean of each step between successive readings of a clock that only rises. */
export function meanStep(readings: readonly number[]): number {
  if (readings.length < 2) throw new Error('a step needs two readings');
  return (readings.at(-1)! - readings[0]!) / (readings.length - 1);
}
