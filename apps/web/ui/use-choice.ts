import { useState } from 'react';

interface Step {
  /** Index of the current row; -1 for none. */
  at: number;
  count: number;
  /** True if Home and End jump to the first and the last row. False if they move the caret in a text. */
  hasEnds: boolean;
}

/** The index that a key moves to, with wrap-around; undefined for other keys and an empty list. */
export function stepInList(key: string, { at, count, hasEnds }: Step): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return at <= 0 ? count - 1 : at - 1;
  if (!hasEnds) return undefined;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

/** The selected row of a list under a text field (-1 in an empty list). The field keeps the focus, keys move the selection. */
export function useChoice(count: number, { start = 0, hasEnds = false } = {}) {
  const [chosen, choose] = useState(start);
  // The list may have become shorter.
  const at = Math.min(chosen, count - 1);
  return {
    at,
    choose,
    /** Handles a key. False for a key without a function. */
    step: (key: string): boolean => {
      const to = stepInList(key, { at, count, hasEnds });
      if (to !== undefined) choose(to);
      return to !== undefined;
    },
  };
}
