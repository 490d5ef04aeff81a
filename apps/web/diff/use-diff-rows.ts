import { toRows, type DiffRow } from '@klaus/core/conversation';
import type { Hunk } from '@klaus/core/protocol';
import { useCallback, useMemo, useState } from 'react';
import { preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';

interface DiffRows {
  rows: readonly DiffRow[];
  unfold: (hunk: string) => void;
}

/** The rows of hunks in the layout of the preferences. @param collapsed Paths whose hunks are not shown. */
export function useDiffRows(hunks: readonly Hunk[], collapsed?: ReadonlySet<string>): DiffRows {
  const { split, ignoresSpace } = useStore(preferences);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(() => new Set());
  const layout = split ? 'split' : 'unified';
  const rows = useMemo(
    () => toRows(hunks, layout, { ignoresSpace, unfolded, collapsed }),
    [hunks, layout, ignoresSpace, unfolded, collapsed],
  );
  const unfold = useCallback((hunk: string) => setUnfolded((known) => new Set([...known, hunk])), []);
  return { rows, unfold };
}
