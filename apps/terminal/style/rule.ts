import { truncateToWidth, visibleWidth } from '../screen/index.ts';
import type { Style } from './palette.ts';

/** Fewest columns of line between the two texts of a rule. */
export const MIN_LINE = 2;

export interface RuleTexts {
  /** Two columns before the left text. Default `──`. */
  corner?: string;
  /** Printable, may contain colours. */
  left?: string;
  /** At the right end, if there is space for it. */
  right?: string;
}

/** A line across the window with texts in it: `── left ─────────── right ─`. */
export function toRule(width: number, paint: Style, { corner = '──', left = '', right = '' }: RuleTexts = {}): string {
  const start = paint(truncateToWidth(corner, width, ''));
  const end = right === '' ? 0 : visibleWidth(right) + 3;
  const text = left === '' ? '' : ` ${truncateToWidth(left, Math.max(0, width - 2 - 3), '…')} `;
  const space = width - 2 - visibleWidth(text);
  if (end === 0 || space < end + MIN_LINE) return `${start}${text}${paint('─'.repeat(Math.max(0, space)))}`;
  return `${start}${text}${paint('─'.repeat(space - end))} ${right} ${paint('─')}`;
}
