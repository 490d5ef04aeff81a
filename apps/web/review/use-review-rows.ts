import type { Hunk } from '@klaus/core/protocol';
import { useMemo, useRef } from 'react';
import { toCommentText, toSaved } from '../comments/comment.ts';
import { withComments, type ShownRow } from '../comments/comment-rows.ts';
import { commentsOf } from '../comments/comments.ts';
import { useLineCursor } from '../comments/use-line-cursor.ts';
import { useDiffRows } from '../diff/use-diff-rows.ts';
import { useStore } from '../state/store.ts';
import type { RowList } from '../ui/virtual-list.tsx';

interface ReviewRowsOptions {
  /** Id of the question. */
  approval: string;
  hunks: readonly Hunk[];
  /** The hunk that shortcuts act on. */
  current: Hunk | undefined;
  /** Id of the hunk that is edited. Its lines are not shown. */
  editing: string | undefined;
  note: string;
}

/** True for a line that the change adds or removes. */
function isChanged(row: ShownRow): row is Extract<ShownRow, { kind: 'line' | 'pair' }> {
  return row.kind === 'line' ? row.line.kind !== 'same' : row.kind === 'pair' && row.left !== row.right;
}

/** The rows of a review with the comments of the user, and the note that the model receives. */
export function useReviewRows({ approval, hunks, current, editing, note }: ReviewRowsOptions) {
  const diff = useDiffRows(hunks);
  const comments = commentsOf(approval);
  const written = useStore(comments);
  const rows = useMemo(
    () =>
      withComments(diff.rows, written).filter(
        (row) => (row.kind !== 'line' && row.kind !== 'pair') || row.hunk !== editing,
      ),
    [diff.rows, written, editing],
  );
  const list = useRef<RowList>(null);
  const frame = useRef<HTMLDivElement>(null);
  const start = rows.findIndex((row) => isChanged(row) && row.of.id === current?.id);
  const cursor = useLineCursor({ frame, list, rows, comments, start: Math.max(0, start) });
  return {
    rows,
    list,
    frame,
    comments,
    comment: cursor.comment,
    unfold: diff.unfold,
    /** Number of saved comments. */
    count: toSaved(written).length,
    /** The comments, then the note. */
    toModel: [toCommentText(written), note.trim()].filter((text) => text !== '').join('\n\n'),
  };
}
