import { parseDiff, toRows } from '@klaus/core/conversation';
import type { Hunk } from '@klaus/core/protocol';
import { memo, useMemo } from 'react';
import { useText } from '../text/text.ts';
import { VirtualList } from '../ui/virtual-list.tsx';
import { DiffRowView } from './diff-row.tsx';
import './diff.css';

/** Rows up to which all are rendered. */
const MAX_ROWS = 100;

/** All lines of a change. Of a long one, only those near the viewport of its box are rendered. */
export const DiffHunks = memo(function DiffHunks({ hunks }: { hunks: readonly Hunk[] }) {
  const t = useText();
  const rows = useMemo(() => toRows(hunks, 'unified'), [hunks]);
  if (rows.length > MAX_ROWS) {
    return (
      <VirtualList
        label={t.approval.rows}
        className="diff diff-inside diff-long"
        count={rows.length}
        estimateSize={(at) => (rows[at]!.kind === 'file' ? 36 : 20)}
        overscan={20}
      >
        {(at) => <DiffRowView row={rows[at]!} />}
      </VirtualList>
    );
  }
  return (
    <div className="diff diff-inside" tabIndex={0} role="group" aria-label={t.approval.rows}>
      {rows.map((row) => (
        <DiffRowView key={row.key} row={row} />
      ))}
    </div>
  );
});

/** All lines of a unified diff. */
export const DiffText = memo(function DiffText({ diff }: { diff: string }) {
  const hunks = useMemo(() => parseDiff(diff), [diff]);
  return <DiffHunks hunks={hunks} />;
});
