import { expect, test } from 'vitest';
import { stepInList } from './use-choice.ts';

test('arrow keys wrap around, and Home and End jump to the ends if enabled', () => {
  const walk = (keys: string[], count: number, hasEnds = true): (number | undefined)[] => {
    let at = 0;
    return keys.map((key) => {
      const to = stepInList(key, { at, count, hasEnds });
      at = to ?? at;
      return to;
    });
  };
  expect(walk(['ArrowUp', 'ArrowDown', 'ArrowDown', 'End', 'ArrowDown', 'ArrowUp', 'Home'], 3)).toEqual([
    2, 0, 1, 2, 0, 2, 0,
  ]);
  expect(walk(['Home', 'End', 'a', 'Enter'], 3, false)).toEqual([undefined, undefined, undefined, undefined]);
  expect(walk(['ArrowDown', 'ArrowUp', 'Home'], 0)).toEqual([undefined, undefined, undefined]);
  expect(stepInList('ArrowUp', { at: -1, count: 3, hasEnds: false })).toBe(2);
});
