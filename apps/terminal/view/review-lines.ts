import { hunksOf, toChangedLine, toRejected, type CallEntry } from '@klaus/sdk/conversation';
import { toLine } from '@klaus/sdk/printable';
import type { Palette } from '../style/palette.ts';
import { toSafe, wrap } from './wrap.ts';

/** `approved 1 of 2 hunks, 1 edited by you`. */
export function describeAccepted({ asked, answer }: CallEntry): string {
  const hunks = asked ? hunksOf(asked) : [];
  const rejected = answer?.hunks ? toRejected(hunks, answer.hunks).length : 0;
  const edited = answer?.hunks?.edited?.length ?? 0;
  return `approved ${hunks.length - rejected} of ${hunks.length} hunks${edited > 0 ? `, ${edited} edited by you` : ''}`;
}

/** The hunks that the user rejected, at the line that they would change, and the comments for the model. */
export function toReviewLines(
  { asked, answer }: CallEntry,
  { width, palette, indent }: { width: number; palette: Palette; indent: string },
): string[] {
  if (!asked || !answer) return [];
  const rejected = answer.hunks ? toRejected(hunksOf(asked), answer.hunks) : [];
  const rows = [
    ...rejected.map((hunk) => palette.bad(`✗ rejected ${toLine(hunk.path, 200)}:${toChangedLine(hunk)}`)),
    ...(answer.note === undefined ? [] : [palette.muted(`“${toSafe(answer.note)}”`)]),
  ];
  return rows.flatMap((row) => wrap(row, width, { first: indent, indent: indent.length }));
}
