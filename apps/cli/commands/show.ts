import { EXIT } from '../exit-codes.ts';
import { openKlaus } from '../open-klaus.ts';
import { createPaint, type Paint } from '../output/paint.ts';
import { toPrintable } from '@klaus/sdk/printable';
import { type Entry, toTranscript } from '@klaus/sdk/transcript';

/** Lines of a tool's output that `klaus show` prints; `klaus export` has all of them. */
const OUTPUT_LINES = 12;

/** `klaus show ID`: the transcript, or with --json the events as NDJSON. */
export async function show(id: string, options: { json?: true; plain?: true }): Promise<number> {
  await using klaus = await openKlaus();
  const session = klaus.session(id);
  if (options.json === true) {
    for (const event of session.events()) process.stdout.write(`${JSON.stringify(event)}\n`);
    return EXIT.done;
  }
  const paint = createPaint(process.stdout, options.plain ?? false);
  for (const entry of toTranscript(session.events())) {
    process.stdout.write(
      `${toPrintable(toLines(entry)).replace(/^[^\n]*/, (head) => paintHead(entry, head, paint))}\n\n`,
    );
  }
  return EXIT.done;
}

const PAINTS = { ok: 'green', warn: 'yellow', bad: 'red' } as const;

function toLines(entry: Entry): string {
  switch (entry.kind) {
    case 'opened': {
      const { forked } = entry;
      const lineage = forked
        ? `\nForked from ${forked.session} at event ${forked.seq}; up to there both are the same.`
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
      return `${entry.title}: ${entry.outcome}, ${entry.duration}\n${shorten(entry.output)}`.trimEnd();
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
