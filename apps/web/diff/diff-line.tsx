import type { Hunk } from '@klaus/core/protocol';
import { memo } from 'react';
import { CommentButton } from '../comments/comment-button.tsx';
import { toTokenClass } from '../highlight/code.tsx';
import { useChangesText } from '../text/changes/changes-text.ts';
import { toNoteText } from '../text/run/note-text.ts';
import { useText } from '../text/text.ts';
import type { DiffLine } from '@klaus/core/conversation';
import { useHunkCode } from './hunk-code.ts';
import { toLinePieces } from './line-pieces.ts';
import '../highlight/code.css';

const SIGNS = { same: '', removed: '-', added: '+', note: '' } as const;

interface DiffLineProps {
  hunk: Hunk;
  /** Null for an empty line in a split diff. */
  line: DiffLine | null;
  numbers: readonly ('old' | 'new')[];
}

/** One line of a diff with its numbers. */
export const DiffLineView = memo(function DiffLineView({ hunk, line, numbers }: DiffLineProps) {
  const t = useChangesText();
  if (!line) return <div className="diff-line diff-nothing" />;
  return (
    <div className={`diff-line diff-${line.kind}`}>
      {numbers.map((side) => (
        <span key={side} className="diff-number">
          {line[side]}
        </span>
      ))}
      <CommentButton path={hunk.path} line={line} />
      {line.isSpace ? (
        <span className="diff-sign muted" role="img" aria-label={t.onlySpace} title={t.onlySpace}>
          ~
        </span>
      ) : (
        <span className="diff-sign">{SIGNS[line.kind]}</span>
      )}
      <LineText hunk={hunk} line={line} />
    </div>
  );
});

/** The text of a line in the colours of its code, with its changed words marked. */
function LineText({ hunk, line }: { hunk: Hunk; line: DiffLine }) {
  const code = useHunkCode(line.kind === 'note' ? undefined : hunk, line);
  const pieces = toLinePieces(line, code);
  return (
    <span className="diff-code grow wrap">
      {pieces.map(({ kind, text, isChanged }, at) => {
        const name = `${toTokenClass(kind)} ${isChanged ? 'diff-word' : ''}`.trim();
        return name === '' ? (
          text
        ) : (
          <span key={at} className={name}>
            {text}
          </span>
        );
      })}
    </span>
  );
}

export const BOTH_NUMBERS = ['old', 'new'] as const;

const OLD_NUMBER = ['old'] as const;
const NEW_NUMBER = ['new'] as const;

export function DiffPair({ hunk, left, right }: { hunk: Hunk; left: DiffLine | null; right: DiffLine | null }) {
  return (
    <div className="diff-pair">
      <DiffLineView hunk={hunk} line={left} numbers={OLD_NUMBER} />
      <DiffLineView hunk={hunk} line={right} numbers={NEW_NUMBER} />
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
