import { isEditable, type Hunk } from '@klaus/core/protocol';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Check, PencilLine, X } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { SIGNS } from '../diff/diff-text.tsx';
import { toNewText, type DiffLine, type DiffRow, type Review } from '../diff/diff-model.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import '../diff/diff.css';

interface ReviewRowsProps {
  rows: readonly DiffRow[];
  hunks: readonly Hunk[];
  review: Review;
  /** Index of the hunk that shortcuts act on. */
  current: number;
  /** Id of the hunk that is being edited. */
  editing: string | undefined;
  onCurrent: (at: number) => void;
  onJudge: (ids: readonly string[], isAccepted: boolean) => void;
  onEdit: (id: string) => void;
  /** `text`: undefined if the edit was cancelled. */
  onEdited: (hunk: Hunk, text: string | undefined) => void;
}

/** Estimated heights in pixels. */
const LINE = 20;
const HEAD = 40;

/** The rows of a change. Only rows near the viewport are rendered. */
export function ReviewRows(props: ReviewRowsProps) {
  const { rows, hunks, review, current, editing } = props;
  const t = useText();
  const scroll = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => {
    if (editing === undefined) return rows;
    return rows.filter((row) => !('hunk' in row) || row.kind === 'hunk' || row.hunk !== editing);
  }, [rows, editing]);
  // Memoized: a new function would invalidate the measurements of all rows.
  const getItemKey = useCallback((at: number) => shown[at]!.key, [shown]);
  const list = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroll.current,
    estimateSize: (at) => {
      const row = shown[at]!;
      return row.kind === 'line' || row.kind === 'pair' ? LINE : HEAD;
    },
    getItemKey,
    overscan: 20,
  });
  const id = hunks[current]?.id;
  useEffect(() => {
    const at = shown.findIndex((row) => row.kind === 'hunk' && row.hunk.id === id);
    if (at >= 0) list.scrollToIndex(at, { align: current === 0 ? 'end' : 'start' });
  }, [id]);
  return (
    <div ref={scroll} className="diff rows" tabIndex={0} role="group" aria-label={t.approval.rows}>
      <div className="rows-inner" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, key, start }) => {
          const row = shown[index]!;
          return (
            <div
              key={key}
              ref={list.measureElement}
              data-index={index}
              className={`rows-row ${'hunk' in row && row.kind !== 'hunk' ? toMark(review, row.hunk) : ''}`}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Row {...props} row={row} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function toMark({ rejected, edited }: Review, id: string): string {
  return rejected.has(id) || edited.has(id) ? 'diff-left-out' : '';
}

function Row(props: ReviewRowsProps & { row: DiffRow }) {
  const { row, hunks, review, current, editing, onCurrent, onJudge, onEdit, onEdited } = props;
  const t = useText();
  switch (row.kind) {
    case 'file':
      return (
        <div className="rows-file">
          <h3 className="ellipsis mono">{row.path}</h3>
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
          <HunkHead
            hunk={hunk}
            at={at}
            all={hunks.length}
            review={review}
            isCurrent={at === current}
            onChoose={() => onCurrent(at)}
            onJudge={(isAccepted) => onJudge([hunk.id], isAccepted)}
            onEdit={() => onEdit(hunk.id)}
          />
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
      return <Line line={row.line} />;
    case 'pair':
      return (
        <div className="diff-pair">
          <Side line={row.left} side="old" />
          <Side line={row.right} side="new" />
        </div>
      );
  }
}

interface HunkHeadProps {
  hunk: Hunk;
  at: number;
  all: number;
  review: Review;
  isCurrent: boolean;
  onChoose: () => void;
  onJudge: (isAccepted: boolean) => void;
  onEdit: () => void;
}

function HunkHead({ hunk, at, all, review, isCurrent, onChoose, onJudge, onEdit }: HunkHeadProps) {
  const t = useText();
  const isRejected = review.rejected.has(hunk.id);
  const isEdited = review.edited.has(hunk.id);
  const word = isRejected ? t.approval.rejected : isEdited ? t.approval.edited : t.approval.accepted;
  return (
    <div className={`hunk-head ${isCurrent ? 'hunk-current' : ''}`} onClick={onChoose} aria-current={isCurrent}>
      <span className="ellipsis muted">
        {t.approval.hunk(at + 1, all)} · {hunk.note ?? `${hunk.oldStart} → ${hunk.newStart}`}
      </span>
      <span className={`hunk-word ${isRejected ? 'bad' : isEdited ? 'warn' : 'good'}`}>{word}</span>
      {isEditable(hunk) ? (
        <Button variant="quiet" icon={<PencilLine size={14} />} onClick={onEdit}>
          {t.approval.edit}
        </Button>
      ) : null}
      <Button variant="quiet" icon={<X size={14} />} aria-pressed={isRejected} onClick={() => onJudge(false)}>
        {t.approval.reject}
      </Button>
      <Button variant="quiet" icon={<Check size={14} />} aria-pressed={!isRejected} onClick={() => onJudge(true)}>
        {t.approval.accept}
      </Button>
    </div>
  );
}

function HunkEditor({ hunk, text, onDone }: { hunk: Hunk; text: string; onDone: (text: string | undefined) => void }) {
  const t = useText();
  const [value, setValue] = useState(text);
  return (
    <div className="hunk-editor">
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
      <div className="dialog-foot">
        <Button onClick={() => onDone(undefined)}>{t.app.cancel}</Button>
        <Button variant="primary" onClick={() => onDone(value)}>
          {t.approval.editSave}
        </Button>
      </div>
    </div>
  );
}

function Line({ line }: { line: DiffLine }) {
  return (
    <div className={`diff-line diff-${line.kind}`}>
      <span className="diff-number">{line.old}</span>
      <span className="diff-number">{line.new}</span>
      <span className="diff-sign">{SIGNS[line.kind]}</span>
      <span className="diff-code">{line.text}</span>
    </div>
  );
}

function Side({ line, side }: { line: DiffLine | null; side: 'old' | 'new' }) {
  if (!line) return <div className="diff-line diff-nothing" />;
  return (
    <div className={`diff-line diff-${line.kind}`}>
      <span className="diff-number">{line[side]}</span>
      <span className="diff-sign">{SIGNS[line.kind]}</span>
      <span className="diff-code">{line.text}</span>
    </div>
  );
}
