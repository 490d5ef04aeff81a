import { headOf } from '../text/cut-text.ts';
import type { HunkAnswer } from '../authority/approval.ts';
import type { Hunk } from './hunk.ts';
import { toRejected } from './hunk-answer.ts';
import { renderHunk } from './render-hunk.ts';

/** Maximum number of characters of rejected hunks in a report to the model. */
const MAX_REJECTED = 4_000;

/** The report to the model on hunks that the user rejected or edited; '' if there are none. */
export function describeRejected(hunks: readonly Hunk[], answer: HunkAnswer): string {
  const ids = (answer.edited ?? []).map(({ id }) => id);
  const rejected = toRejected(hunks, answer);
  const lines: string[] = [];
  if (rejected.length > 0) {
    const text = rejected.map((hunk) => `${hunk.path}\n${renderHunk(hunk).trimEnd()}`).join('\n');
    const shown = text.length > MAX_REJECTED ? `${headOf(text, MAX_REJECTED)}\n…` : text;
    lines.push(`The user rejected ${rejected.length} of ${hunks.length} hunks; these are not in place:\n${shown}`);
  }
  if (ids.length > 0) lines.push(`The user changed ${ids.join(', ')}: read the file before the next edit.`);
  return lines.join('\n');
}
