import { useState } from 'react';

interface Step {
  /** Row that one is at; -1 for none. */
  at: number;
  /** Rows there are. */
  count: number;
  /** Whether Home and End lead to the first and the last row; not where they move a caret in a text. */
  hasEnds: boolean;
}

/** The row that a key leads to, round and round; undefined for a key that means nothing in a list, or in an empty one. */
export function stepInList(key: string, { at, count, hasEnds }: Step): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return at <= 0 ? count - 1 : at - 1;
  if (!hasEnds) return undefined;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

export interface Choice {
  /** The row that is chosen; -1 in an empty list. */
  at: number;
  choose: (at: number) => void;
  /** Takes a key. False for one that means nothing there. */
  step: (key: string) => boolean;
}

/** The row that is chosen in a list below a field: the field keeps the focus, keys move the choice. */
export function useChoice(count: number, { start = 0, hasEnds = false } = {}): Choice {
  const [chosen, choose] = useState(start);
  // What is typed may have made the list shorter.
  const at = Math.min(chosen, count - 1);
  return {
    at,
    choose,
    step(key) {
      const to = stepInList(key, { at, count, hasEnds });
      if (to !== undefined) choose(to);
      return to !== undefined;
    },
  };
}
