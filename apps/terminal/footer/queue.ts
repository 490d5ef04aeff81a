import type { QueuedMessage } from '@klaus/sdk/client';
import { toLine } from '@klaus/sdk/printable';
import { truncateToWidth } from '../screen/index.ts';
import type { SessionView } from '../session/session-view.ts';
import type { Palette } from '../style/palette.ts';

const MAX_SHOWN = 4;

/** Messages and shell commands that no run has taken, the oldest first, and the keys for them. */
export function toQueueLines({ queue, drive }: SessionView, width: number, palette: Palette): string[] {
  if (queue.length === 0) return [];
  const rows = queue.slice(0, MAX_SHOWN).map((message) => {
    const when = message.delivery === 'steer' ? 'next' : 'queued';
    return truncateToWidth(palette.muted(`  ${when}: ${toLine(toText(message), 400)}`), width, '…');
  });
  const rest = queue.length - rows.length;
  const more = rest > 0 ? [palette.muted(`  … ${rest} more`)] : [];
  // Nothing works on the session: they wait for the user.
  const isIdle = drive === undefined || drive.state === 'idle' || drive.state === 'failed';
  const keys = `  ${isIdle ? 'Enter sends them · ' : ''}↑ in an empty input edits the last one`;
  return [...rows, ...more, truncateToWidth(palette.muted(keys), width, '…')];
}

/** As the user enters it: a shell command with its `!`. */
export function toText({ parts, shell }: QueuedMessage): string {
  if (shell !== undefined) return `!${shell}`;
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
