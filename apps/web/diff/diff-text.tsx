import { memo, useMemo } from 'react';
import { useText } from '../text/text.ts';
import { BOTH_NUMBERS, DiffLineView, DiffRange } from './diff-line.tsx';
import { parseDiff, toDiffLines } from '@klaus/core/conversation';
import './diff.css';

const MAX_LINES = 300;

export const DiffText = memo(function DiffText({ diff }: { diff: string }) {
  const t = useText();
  const hunks = useMemo(() => parseDiff(diff), [diff]);
  let left = MAX_LINES;
  return (
    <div className="diff diff-inside" tabIndex={0} role="group" aria-label={t.approval.rows}>
      {hunks.map((hunk, at) => {
        const lines = toDiffLines(hunk).slice(0, Math.max(0, left));
        left -= lines.length;
        return (
          <div key={hunk.id}>
            {hunks[at - 1]?.path === hunk.path ? null : <p className="diff-path">{hunk.path}</p>}
            <DiffRange hunk={hunk} />
            {lines.map((line, number) => (
              <DiffLineView key={number} line={line} numbers={BOTH_NUMBERS} />
            ))}
          </div>
        );
      })}
      {left <= 0 ? <p className="diff-range muted">…</p> : null}
    </div>
  );
});
