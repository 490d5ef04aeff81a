import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';
import { type Reflow, toCount } from './reflow.ts';

/** Columns and rows of the smallest window in which no row of a growing text may leave the screen. */
const NARROW = 20;
const LOW = 10;
/** Rows of a growing text that a window shows if they fill no more than half of it with the rows below. */
const MIN_ROWS = 4;

/** The rows of a frame that show the end of a text that grows: they are written again when they are finished. */
export interface Growing {
  from: number;
  rows: number;
  /** The rows count as finished as they are. Absent if they do not show all of the text. */
  leave?: () => void;
  /** True for a table: nothing of it is finished before its end, so more of it is shown. */
  isUndivided?: boolean;
}

/**
 * Shortens the growing rows of a frame, so that no window moves one of them to its scrollback. A terminal that wraps the
 * rows of a frame moves as many rows away at the top, also if there are blank ones below; xterm.js does so if the frame is
 * higher than the window.
 *
 * @param window.above Rows that the window has above the frame at least.
 */
export function limitGrowing(
  lines: readonly string[],
  growing: Growing | undefined,
  { reflows, above, height }: { reflows: Reflow; above: number; height: number },
): { lines: readonly string[]; growing: Growing | undefined } {
  if (!growing || reflows === 'none') return { lines, growing };
  const { from, rows, leave, isUndivided = false } = growing;
  const [before, all, after] = [lines.slice(0, from), lines.slice(from, from + rows), lines.slice(from + rows)];
  const others = countNarrow([...before, ...after]);
  if (reflows === 'others' && leave && others + countNarrow(all) <= height / 2) return { lines, growing };
  const half = Math.floor(height / 2);
  const frame = before.length + after.length;
  const most =
    reflows === 'others'
      ? Math.max(LOW, isUndivided ? half : 0) - others
      : Math.max(LOW - frame, Math.min(MIN_ROWS, half - frame));
  const last = rows > most ? ['…', ...all.slice(rows - most + 1)].slice(0, Math.max(0, most)) : all;
  const room = above + from + frame - others;
  /** Rows that wrapping may add. */
  let left = reflows === 'others' ? Math.min(most - last.length, room) : room;
  const shown = last.map((line) => {
    const short = truncateToWidth(line, Math.max(0, NARROW * (1 + left)), '…');
    left -= countNarrow([short]) - 1;
    return short;
  });
  if (left < 0) return { lines: [...before, ...after], growing: { from, rows: 0 } };
  const isComplete = shown.length === rows && shown.every((line, index) => line === all[index]);
  return {
    lines: [...before, ...shown, ...after],
    growing: { from, rows: shown.length, leave: isComplete ? leave : undefined },
  };
}

/** Rows of some lines in the narrowest window. */
function countNarrow(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + toCount(visibleWidth(line), NARROW), 0);
}
