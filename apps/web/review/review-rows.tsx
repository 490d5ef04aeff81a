import { isEditable, type Hunk } from '@klaus/core/protocol';
import { Check, PencilLine, X } from 'lucide-react';
import { useCallback, useEffect, useState, type RefObject } from 'react';
import type { ShownRow } from '../comments/comment-rows.ts';
import { CommentView } from '../comments/comment-view.tsx';
import { BOTH_NUMBERS, DiffLineView, DiffPair } from '../diff/diff-line.tsx';
import { FoldedHunk } from '../diff/folded-hunk.tsx';
import { toNewText, type Review } from '@klaus/core/conversation';
import { toNoteText } from '../text/run/note-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { VirtualList, type RowList } from '../ui/virtual-list.tsx';
import '../diff/diff.css';

interface ReviewRowsProps {
  /** Without the lines of the hunk that is edited. */
  rows: readonly ShownRow[];
  list: RefObject<RowList | null>;
  hunks: readonly Hunk[];
  review: Review;
  /** Ids of the hunks about which the user decided. */
  judged: ReadonlySet<string>;
  /** Index of the hunk that shortcuts act on. */
  current: number;
  /** Id of the hunk that is being edited. */
  editing: string | undefined;
  onCurrent: (at: number) => void;
  /** Shows a hunk in which only whitespace differs. */
  onUnfold: (hunk: string) => void;
  onJudge: (ids: readonly string[], isAccepted: boolean) => void;
  onEdit: (id: string) => void;
  /** `text`: undefined if the edit was cancelled. */
  onEdited: (hunk: Hunk, text: string | undefined) => void;
}

/** Estimated heights in pixels. */
const HEIGHTS = { file: 40, hunk: 40, line: 20, pair: 20, comment: 96 } as const;

export function ReviewRows(props: ReviewRowsProps) {
  const { rows: shown, list, hunks, review, current } = props;
  const t = useText();
  // Memoized: a new function would invalidate the measurements of all rows.
  const getItemKey = useCallback((at: number) => shown[at]!.key, [shown]);
  const id = hunks[current]?.id;
  useEffect(() => {
    const at = shown.findIndex((row) => row.kind === 'hunk' && row.hunk.id === id);
    if (at >= 0) list.current?.scrollToIndex(at, { align: current === 0 ? 'end' : 'start' });
  }, [id]);
  return (
    <VirtualList
      ref={list}
      label={t.approval.rows}
      className="diff"
      count={shown.length}
      estimateSize={(at) => HEIGHTS[shown[at]!.kind]}
      getItemKey={getItemKey}
      overscan={20}
      toProps={(at) => ({ className: toMark(review, shown[at]!) })}
    >
      {(at) => <Row {...props} row={shown[at]!} />}
    </VirtualList>
  );
}

function toMark({ rejected, edited }: Review, row: ShownRow): string {
  const isLeftOut = (row.kind === 'line' || row.kind === 'pair') && (rejected.has(row.hunk) || edited.has(row.hunk));
  return isLeftOut ? 'diff-left-out' : '';
}

function Row(props: ReviewRowsProps & { row: ShownRow }) {
  const { row, hunks, review, editing, onJudge, onEdited } = props;
  const t = useText();
  switch (row.kind) {
    case 'file':
      return (
        <div className="rows-file line small ruled">
          <h3 className="ellipsis mono grow">{row.path}</h3>
          <Button variant="quiet" onClick={() => onJudge(row.hunks, false)}>
            {t.approval.rejectFile}
          </Button>
          <Button variant="quiet" onClick={() => onJudge(row.hunks, true)}>
            {t.approval.acceptFile}
          </Button>
        </div>
      );
    case 'hunk': {
      const at = hunks.findIndex(({ id }) => id === row.hunk.id);
      const hunk = hunks[at]!;
      return (
        <>
          <HunkHead {...props} hunk={hunk} at={at} />
          {row.folded === undefined || editing === hunk.id ? null : (
            <FoldedHunk lines={row.folded} onUnfold={() => props.onUnfold(hunk.id)} />
          )}
          {editing === hunk.id ? (
            <HunkEditor
              hunk={hunk}
              text={review.edited.get(hunk.id) ?? toNewText(hunk)}
              onDone={(text) => onEdited(hunk, text)}
            />
          ) : null}
        </>
      );
    }
    case 'line':
      return <DiffLineView hunk={row.of} line={row.line} numbers={BOTH_NUMBERS} />;
    case 'pair':
      return <DiffPair hunk={row.of} left={row.left} right={row.right} />;
    case 'comment':
      return <CommentView row={row} />;
  }
}

/** Lines of a hunk after the change. */
function countNew({ lines }: Hunk): number {
  return lines.filter((line) => line.startsWith('+') || line.startsWith(' ')).length;
}

function HunkHead(props: ReviewRowsProps & { hunk: Hunk; at: number }) {
  const { hunk, at, hunks, review, current, onCurrent, onJudge, onEdit } = props;
  const t = useText();
  const isCurrent = at === current;
  const isRejected = review.rejected.has(hunk.id);
  const isEdited = review.edited.has(hunk.id);
  const isReviewed = props.judged.has(hunk.id);
  const isUndecided = review.undecided.has(hunk.id);
  const word = isUndecided
    ? t.approval.undecided
    : isRejected
      ? t.approval.rejected
      : isEdited
        ? t.approval.edited
        : isReviewed
          ? t.approval.accepted
          : t.approval.notReviewed;
  return (
    <div
      className={`hunk-head line small ${isCurrent ? 'hunk-current' : ''}`}
      onClick={() => onCurrent(at)}
      aria-current={isCurrent}
    >
      <span className="ellipsis muted">
        {t.approval.hunk(at + 1, hunks.length)} ·{' '}
        {toNoteText(hunk, t) ?? t.approval.lines(hunk.newStart, hunk.newStart + Math.max(1, countNew(hunk)) - 1)}
      </span>
      <span className={`hunk-word ${isRejected || !isReviewed ? 'muted' : isEdited || isUndecided ? 'warn' : 'good'}`}>
        {word}
      </span>
      {isEditable(hunk) ? (
        <Button variant="quiet" icon={PencilLine} onClick={() => onEdit(hunk.id)}>
          {t.approval.edit}
        </Button>
      ) : null}
      <Button variant="quiet" icon={X} aria-pressed={isRejected} onClick={() => onJudge([hunk.id], false)}>
        {t.approval.reject}
      </Button>
      <Button
        variant="quiet"
        icon={Check}
        aria-pressed={isReviewed && !isRejected && !isUndecided}
        onClick={() => onJudge([hunk.id], true)}
      >
        {t.approval.accept}
      </Button>
    </div>
  );
}

function HunkEditor({ hunk, text, onDone }: { hunk: Hunk; text: string; onDone: (text: string | undefined) => void }) {
  const t = useText();
  const [value, setValue] = useState(text);
  return (
    <div className="hunk-editor column">
      <textarea
        className="field mono"
        autoFocus
        spellCheck={false}
        rows={Math.min(24, value.split('\n').length + 1)}
        aria-label={t.approval.editLabel(hunk.id)}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={(event) => {
          const isDone = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
          if (event.key !== 'Escape' && !isDone) return;
          // Otherwise the dialog would close, or submit the review.
          event.preventDefault();
          event.stopPropagation();
          onDone(isDone ? value : undefined);
        }}
      />
      <div className="dialog-foot line">
        <Button onClick={() => onDone(undefined)}>{t.app.cancel}</Button>
        <Button variant="primary" onClick={() => onDone(value)}>
          {t.approval.editSave}
        </Button>
      </div>
    </div>
  );
}
