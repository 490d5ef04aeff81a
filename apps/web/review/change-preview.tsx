import { isHidden, type Hunk } from '@klaus/core/protocol';
import { useMemo } from 'react';
import { DiffHunks } from '../diff/diff-text.tsx';
import { useText } from '../text/text.ts';

/** The change that a question is about, in place: all of its lines, and what cannot be shown. */
export function ChangePreview({ hunks }: { hunks: readonly Hunk[] }) {
  const t = useText();
  const hidden = useMemo(() => hunks.filter(isHidden).length, [hunks]);
  if (hunks.length === 0) return null;
  return (
    <>
      <DiffHunks hunks={hunks} />
      {hidden > 0 ? (
        <p role="note" className="warn">
          {t.approval.hiddenIn(hidden)}
        </p>
      ) : null}
    </>
  );
}
