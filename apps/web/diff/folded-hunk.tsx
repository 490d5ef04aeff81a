import { useChangesText } from '../text/changes/changes-text.ts';
import { Button } from '../ui/button.tsx';

/** The note in place of a hunk in which only whitespace differs. */
export function FoldedHunk({ lines, onUnfold }: { lines: number; onUnfold: (() => void) | undefined }) {
  const t = useChangesText();
  return (
    <p className="diff-folded line small muted">
      <span>{t.folded(lines)}</span>
      {onUnfold ? (
        <Button variant="quiet" onClick={onUnfold}>
          {t.unfold}
        </Button>
      ) : null}
    </p>
  );
}
