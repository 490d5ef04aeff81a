import type { Hunk } from '@klaus/core/protocol';
import { toNoteText } from '../text/run/note-text.ts';
import { useText } from '../text/text.ts';
import type { DiffLine } from '@klaus/core/conversation';

const SIGNS = { same: '', removed: '-', added: '+', note: '' } as const;

/** One line of a diff with its numbers; null for an empty line in a split diff. */
export function DiffLineView({ line, numbers }: { line: DiffLine | null; numbers: readonly ('old' | 'new')[] }) {
  if (!line) return <div className="diff-line diff-nothing" />;
  return (
    <div className={`diff-line diff-${line.kind}`}>
      {numbers.map((side) => (
        <span key={side} className="diff-number">
          {line[side]}
        </span>
      ))}
      <span className="diff-sign">{SIGNS[line.kind]}</span>
      <span className="diff-code grow wrap">{line.text}</span>
    </div>
  );
}

export const BOTH_NUMBERS = ['old', 'new'] as const;

export function DiffPair({ left, right }: { left: DiffLine | null; right: DiffLine | null }) {
  return (
    <div className="diff-pair">
      <DiffLineView line={left} numbers={['old']} />
      <DiffLineView line={right} numbers={['new']} />
    </div>
  );
}

/** The head of a hunk: its range, or the reason why it has no lines. */
export function DiffRange({ hunk }: { hunk: Hunk }) {
  const t = useText();
  const { oldStart, oldLines, newStart, newLines } = hunk;
  return (
    <p className="diff-range muted">
      {toNoteText(hunk, t) ?? `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`}
    </p>
  );
}
