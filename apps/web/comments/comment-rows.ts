import type { DiffLine, DiffRow } from '@klaus/core/conversation';
import { toPlaceKey, type LineComment, type LinePlace } from './comment.ts';

/** A comment below its line. `isStale`: the line has changed, or is not part of the change any more. */
export interface CommentRow {
  kind: 'comment';
  key: string;
  comment: LineComment;
  isStale: boolean;
}

export type ShownRow = DiffRow | CommentRow;

/** The place that a line has in a comment; undefined for a line without a number. */
export function toPlace(path: string, line: DiffLine | null): LinePlace | undefined {
  if (!line) return undefined;
  const side = line.kind === 'removed' ? 'old' : 'new';
  const number = line[side];
  return number === null ? undefined : { path, side, line: number, quote: line.text };
}

/** The places of the lines of a row; of a changed pair both. */
export function toPlaces(row: ShownRow): LinePlace[] {
  if (row.kind === 'line') return [toPlace(row.of.path, row.line) ?? []].flat();
  if (row.kind !== 'pair') return [];
  const lines = row.left === row.right ? [row.right] : [row.right, row.left];
  return lines.flatMap((line) => toPlace(row.of.path, line) ?? []);
}

/** Adds each comment below its line. Those whose line is not shown follow the heading of their file. */
export function withComments(rows: readonly DiffRow[], comments: readonly LineComment[]): readonly ShownRow[] {
  if (comments.length === 0) return rows;
  const byPlace = Map.groupBy(comments, toPlaceKey);
  const byPath = Map.groupBy(comments, ({ path }) => path);
  const placed = new Set<string>();
  const below = new Map<DiffRow, CommentRow[]>();
  for (const row of rows) {
    for (const { quote, ...place } of toPlaces(row)) {
      for (const comment of byPlace.get(toPlaceKey(place)) ?? []) {
        placed.add(comment.id);
        const own = below.get(row) ?? [];
        below.set(row, [...own, toRow(comment, comment.quote !== quote)]);
      }
    }
  }
  return rows.flatMap((row): ShownRow[] => {
    if (row.kind !== 'file') return [row, ...(below.get(row) ?? [])];
    const lost = (byPath.get(row.path) ?? []).filter(({ id }) => !placed.has(id));
    return [row, ...lost.map((comment) => toRow(comment, true))];
  });
}

const toRow = (comment: LineComment, isStale: boolean): CommentRow => ({
  kind: 'comment',
  key: `comment ${comment.id}`,
  comment,
  isStale,
});
