import { memo, useMemo } from 'react';
import { useText } from '../text/text.ts';
import { parseDiff, toLines } from './diff-model.ts';
import './diff.css';

/** Maximum number of rendered lines. */
const MAX_LINES = 300;

/** A read-only diff inside of an entry. */
export const DiffText = memo(function DiffText({ diff }: { diff: string }) {
  const t = useText();
  const hunks = useMemo(() => parseDiff(diff), [diff]);
  let left = MAX_LINES;
  return (
    <div className="diff diff-inside" tabIndex={0} role="group" aria-label={t.approval.rows}>
      {hunks.map((hunk, at) => {
        const lines = toLines(hunk).slice(0, Math.max(0, left));
        left -= lines.length;
        return (
          <div key={hunk.id}>
            {hunks[at - 1]?.path === hunk.path ? null : <p className="diff-path">{hunk.path}</p>}
            <p className="diff-range">
              {hunk.note ?? `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`}
            </p>
            {lines.map((line, number) => (
              <div key={number} className={`diff-line diff-${line.kind}`}>
                <span className="diff-number">{line.old}</span>
                <span className="diff-number">{line.new}</span>
                <span className="diff-sign">{SIGNS[line.kind]}</span>
                <span className="diff-code">{line.text}</span>
              </div>
            ))}
          </div>
        );
      })}
      {left <= 0 ? <p className="diff-range">…</p> : null}
    </div>
  );
});

export const SIGNS = { same: '', removed: '-', added: '+', note: '' } as const;
