import type { DiffLine } from './diff-model.ts';

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
      <span className="diff-code">{line.text}</span>
    </div>
  );
}

/** Numbers of a line in a unified diff. */
export const BOTH_NUMBERS = ['old', 'new'] as const;

/** A row of a split diff. */
export function DiffPair({ left, right }: { left: DiffLine | null; right: DiffLine | null }) {
  return (
    <div className="diff-pair">
      <DiffLineView line={left} numbers={['old']} />
      <DiffLineView line={right} numbers={['new']} />
    </div>
  );
}
