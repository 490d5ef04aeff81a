import type { DiffRow } from '@klaus/core/conversation';
import { BOTH_NUMBERS, DiffLineView, DiffPair, DiffRange } from './diff-line.tsx';
import { FoldedHunk } from './folded-hunk.tsx';

interface DiffRowProps {
  row: DiffRow;
  /** The element of a path. */
  heading?: 'p' | 'h2';
  /** Shows a folded hunk. */
  onUnfold?: (hunk: string) => void;
}

/** One row of a diff. */
export function DiffRowView({ row, heading: Heading = 'p', onUnfold }: DiffRowProps) {
  switch (row.kind) {
    case 'file':
      return <Heading className="rows-file ellipsis mono line small ruled">{row.path}</Heading>;
    case 'hunk':
      return (
        <>
          <DiffRange hunk={row.hunk} />
          {row.folded === undefined ? null : (
            <FoldedHunk lines={row.folded} onUnfold={onUnfold && (() => onUnfold(row.hunk.id))} />
          )}
        </>
      );
    case 'line':
      return <DiffLineView hunk={row.of} line={row.line} numbers={BOTH_NUMBERS} />;
    case 'pair':
      return <DiffPair hunk={row.of} left={row.left} right={row.right} />;
  }
}
