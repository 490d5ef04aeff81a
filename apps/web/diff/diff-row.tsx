import type { DiffRow } from '@klaus/core/conversation';
import { BOTH_NUMBERS, DiffLineView, DiffPair, DiffRange } from './diff-line.tsx';

/** One row of a diff without actions. `heading`: the element of a path. */
export function DiffRowView({ row, heading: Heading = 'p' }: { row: DiffRow; heading?: 'p' | 'h2' }) {
  switch (row.kind) {
    case 'file':
      return <Heading className="rows-file ellipsis mono line small ruled">{row.path}</Heading>;
    case 'hunk':
      return <DiffRange hunk={row.hunk} />;
    case 'line':
      return <DiffLineView line={row.line} numbers={BOTH_NUMBERS} />;
    case 'pair':
      return <DiffPair left={row.left} right={row.right} />;
  }
}
