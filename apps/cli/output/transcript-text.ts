import type { Event } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { type Entry, toTranscript } from '@klaus/sdk/transcript';
import { createPaint, type Paint } from '../output/paint.ts';
import { out } from '../output/sink.ts';

/** Lines of a tool's output in a transcript; `klaus export` has all of them. */
const OUTPUT_LINES = 12;

/** Prints the transcript of a session, entry by entry, safe for a terminal; with `raw` unchanged. */
export function printTranscript(events: Iterable<Event>, options: { plain?: true; raw?: true }): void {
  const paint = createPaint(out, options.plain ?? false);
  for (const entry of toTranscript(events)) {
    const toText = (lines: string): string =>
      `${lines.replace(/^[^\n]*/, (head) => paintHead(entry, head, paint))}\n\n`;
    if (options.raw) out.raw(toText(toLines(entry)));
    else out.write(toText(toPrintable(toLines(entry))));
  }
}

const PAINTS = { ok: 'green', warn: 'yellow', bad: 'red' } as const;

function toLines(entry: Entry): string {
  switch (entry.kind) {
    case 'opened': {
      const { forked } = entry;
      const lineage = forked
        ? `\nForked from ${forked.session} at event ${forked.seq}; both have the same events up to there.`
        : '';
      return `Session ${entry.session} in ${entry.workspace}\n${entry.model}, mode ${entry.mode}, sandbox ${entry.sandbox}, ${new Date(entry.at).toISOString()}${lineage}`;
    }
    case 'user': {
      const attached = entry.attached.length === 0 ? '' : `\nAttached: ${entry.attached.join(', ')}`;
      return `User${entry.steered ? ' (while it ran)' : ''}:\n${entry.text}${attached}`;
    }
    case 'model':
      return `Klaus:\n${entry.text}`;
    case 'call':
      return `${entry.title}: ${entry.outcome}, ${entry.duration}, turn ${entry.turn}\n${shorten(entry.output)}`.trimEnd();
    case 'note':
      return entry.text;
    case 'evidence':
      return entry.text;
    case 'end':
      return `${entry.outcome}: ${entry.reason}\n${entry.facts}`;
  }
}

function paintHead(entry: Entry, head: string, paint: Paint): string {
  if (entry.kind === 'user' || entry.kind === 'opened') return paint('bold', head);
  if (entry.kind === 'model') return paint('cyan', head);
  if (entry.kind === 'note') return paint('dim', head);
  if (entry.kind === 'evidence') return paint(PAINTS[entry.mark], head);
  const good = entry.kind === 'call' ? entry.ok : entry.outcome === 'done';
  return paint(good ? 'green' : 'red', head);
}

function shorten(output: string): string {
  const lines = output.trimEnd().split('\n');
  const shown =
    lines.length <= OUTPUT_LINES
      ? lines
      : [...lines.slice(0, OUTPUT_LINES), `… ${lines.length - OUTPUT_LINES} more lines`];
  return shown.map((line) => `    ${line}`).join('\n');
}
