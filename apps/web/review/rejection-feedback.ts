import type { Hunk } from '@klaus/core/protocol';
import type { Review } from '../diff/diff-model.ts';

/** Characters of rejected hunks that the model is shown; the engine has the same limit. */
const MAX_REJECTED = 4_000;

/**
 * The engine's words to the model about the hunks that are not taken, or taken with other lines: what
 * `describeRejected` in `core/agent/workspace/change-parts.ts` will say. English, as everything that the model is told. '' where
 * it is told nothing.
 */
export function toRejectionFeedback(review: Review, hunks: readonly Hunk[]): string {
  const rejected = hunks.filter(({ id }) => review.rejected.has(id));
  const lines: string[] = [];
  if (rejected.length > 0) {
    const text = rejected.map((hunk) => `${hunk.path}\n${render(hunk)}`).join('\n');
    const shown = text.length > MAX_REJECTED ? `${text.slice(0, MAX_REJECTED)}\n…` : text;
    lines.push(`The user rejected ${rejected.length} of ${hunks.length} hunks; these are not in place:\n${shown}`);
  }
  const edited = hunks.filter(({ id }) => review.edited.has(id)).map(({ id }) => id);
  if (edited.length > 0) lines.push(`The user changed ${edited.join(', ')}: read the file before the next edit.`);
  return lines.join('\n');
}

function render({ lines, note, oldStart, oldLines, newStart, newLines }: Hunk): string {
  if (lines.length === 0) return note ?? '';
  const range = (start: number, count: number) => (count === 1 ? `${start}` : `${start},${count}`);
  return [`@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`, ...lines].join('\n');
}
