import type { QueuedMessage } from '@klaus/sdk/client';
import { toLine } from '@klaus/sdk/printable';
import { truncateToWidth } from '../screen/index.ts';
import type { Palette } from '../style/palette.ts';

const MAX_SHOWN = 4;

/** Messages that no run has taken, the oldest first. */
export function toQueueLines(queue: readonly QueuedMessage[], width: number, palette: Palette): string[] {
  if (queue.length === 0) return [];
  const rows = queue.slice(0, MAX_SHOWN).map(({ parts, delivery }) => {
    const when = delivery === 'steer' ? 'next' : 'queued';
    return truncateToWidth(palette.muted(`  ${when}: ${toLine(toText(parts), 400)}`), width, '…');
  });
  const rest = queue.length - rows.length;
  const more = rest > 0 ? [palette.muted(`  … ${rest} more`)] : [];
  return [...rows, ...more, palette.muted('  ↑ in an empty input edits the last one')];
}

export function toText(parts: QueuedMessage['parts']): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
