import type { Row } from './rows.ts';

/** Characters per line on a wide page. */
const WIDTH = 90;
/** Height in pixels of a line of text, and of the gap between two blocks. */
const LINE = { text: 22, gap: 8 };

/** Estimated height in pixels of a row that is not rendered yet. A good estimate avoids layout shifts. */
export function estimateHeight(row: Row): number {
  if (row.kind === 'answer') return 16 + toTextHeight(row.text);
  if (row.kind !== 'entry') return 48;
  const { entry } = row;
  if (entry.kind === 'call') return 40;
  if (entry.kind === 'fact') return 32;
  if (entry.kind === 'limit') return 140;
  return 40 + Math.ceil(entry.text.length / WIDTH) * 20;
}

function toTextHeight(text: string): number {
  let height = 0;
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const length = (end < 0 ? text.length : end) - at;
    height += length === 0 ? LINE.gap : Math.ceil(length / WIDTH) * LINE.text;
    at += length + 1;
  }
  return height;
}
