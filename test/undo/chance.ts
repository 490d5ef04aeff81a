/** Reproducible random numbers: the same seed gives the same numbers. */
export interface Chance {
  /** An integer with 0 ≤ n < `below`. */
  number(below: number): number;
  /** True in `percent` of cases. */
  percent(percent: number): boolean;
  pick<T>(choices: readonly T[]): T;
}

/** @source mulberry32, a public-domain generator by Tommy Ettinger. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const number = (below: number) => Math.floor(next() * below);
  return {
    number,
    percent: (percent) => number(100) < percent,
    pick: (choices) => choices[number(choices.length)]!,
  };
}
