import type { RecalledText } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { createPaint } from '../output/paint.ts';
import { err, out } from '../output/sink.ts';

/** Places that are shown at most. */
export const MAX_PLACES = 20;

/** Prints where words stand in a session; with `json` one object a line. */
export function printRecalled(
  session: string,
  { hits, skipped }: { hits: readonly RecalledText[]; skipped: readonly number[] },
  { json, plain }: { json?: true; plain?: true },
): void {
  if (json) {
    for (const hit of hits) out.json(hit);
  } else {
    const paint = createPaint(out, plain ?? false);
    out.write(hits.map((hit) => `${paint('bold', toHead(hit))}\n${toPrintable(hit.text)}\n\n`).join(''));
  }
  if (hits.length === 0) err.write(`Nothing in session ${session} has these words.\n`);
  if (skipped.length > 0)
    err.write(`Not looked through, because there is too much of them: seq ${skipped.join(', ')}.\n`);
}

function toHead({ seq, turn, title, start, text, length }: RecalledText): string {
  return `seq ${seq}, turn ${turn}, ${toPrintable(title)}, characters ${start}–${start + text.length} of ${length}`;
}
