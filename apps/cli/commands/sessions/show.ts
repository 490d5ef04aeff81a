import type { Event, RecalledText } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { describeOutputPart, type Entry, toTranscript } from '@klaus/sdk/transcript';
import { openClient } from '../../client/open-client.ts';
import type { SearchResult } from '@klaus/sdk/client';
import { createPaint, type Paint } from '../../output/paint.ts';
import { err, out } from '../../output/sink.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { Options } from '../../program/options.ts';
import { RAW_OPTION } from '../../program/run-options.ts';
import { chooseSession, SESSION_HELP } from './chosen-session.ts';

/** Maximum number of matches. */
const MAX_MATCHES = 20;

export const command: LeafCommand = {
  name: 'show',
  summary: 'print the transcript of a session',
  examples: ['klaus show', 'klaus show 01J --grep TypeError'],
  server: 'both',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('[id]', 'sessions', SESSION_HELP))
      .option('--json', 'the events as NDJSON; with --grep one object per match')
      .option('--plain', 'no colours')
      .option('--raw', RAW_OPTION)
      .option('--full', 'complete outputs, of which the transcript has the first lines')
      .option('--grep <words>', 'only the passages that contain these words, in complete outputs too'),
  async run(given: string | undefined, options: Options & { grep?: string; full?: true }) {
    if (options.full && (options.json || options.grep !== undefined))
      throw new UsageError('--full is for the transcript, without --json or --grep.');
    await using client = await openClient(options);
    const id = await chooseSession(client, given);
    if (options.grep !== undefined)
      printMatches(await client.search(id, options.grep, { limit: MAX_MATCHES }), options);
    else {
      let last: Event | undefined;
      const events = readLast(client.events(id), (event) => (last = event));
      if (options.json) for await (const event of events) out.json(event);
      else {
        const all = await Array.fromAsync(events);
        const { session = id } = last ?? {};
        const readFull = (call: string) => client.callOutput(session, call);
        await printTranscript(all, { ...options, session, readFull: options.full ? readFull : undefined });
      }
      // A full disk is no reason to show nothing: the session remains in the list of what needs the user.
      if (last) await client.markSeen(last.session, last.seq).catch(() => {});
    }
  },
};

/** The same events; each is also reported. */
async function* readLast(events: AsyncIterable<Event>, report: (event: Event) => void): AsyncGenerator<Event> {
  for await (const event of events) {
    report(event);
    yield event;
  }
}

function printMatches({ session, hits, skipped }: SearchResult, { json, plain }: Options): void {
  if (json) for (const hit of hits) out.json(hit);
  else {
    const paint = createPaint(out, plain ?? false);
    out.write(hits.map((hit) => `${paint('bold', toHead(hit))}\n${toPrintable(hit.text)}\n\n`).join(''));
  }
  if (hits.length === 0) err.write(`Nothing in session ${session} contains these words.\n`);
  if (skipped.length > 0) err.write(`Not searched, because they are too large: seq ${skipped.join(', ')}.\n`);
}

function toHead({ seq, turn, title, start, text, length }: RecalledText): string {
  return `seq ${seq}, turn ${turn}, ${toPrintable(title)}, characters ${start}–${start + text.length} of ${length}`;
}

/** Lines of a tool's output in a transcript; with `--full` all of them. */
const OUTPUT_LINES = 12;

/** Prints the transcript of a session, entry by entry, safe for a terminal; with `raw` unchanged. */
async function printTranscript(events: Iterable<Event>, options: Options & Full): Promise<void> {
  const paint = createPaint(out, options.plain ?? false);
  for (const given of toTranscript(events)) {
    const entry = await toFullEntry(given, options);
    const toText = (lines: string): string =>
      `${lines.replace(/^[^\n]*/, (head) => paintHead(entry, head, paint))}\n\n`;
    if (options.raw) out.raw(toText(toLines(entry)));
    else out.write(toText(toPrintable(toLines(entry))));
  }
}

interface Full {
  session: string;
  /** Reads the complete output of a call; undefined: outputs are shortened. */
  readFull: ((call: string) => Promise<string>) | undefined;
}

/** The same entry with the output of a call that is printed. */
async function toFullEntry(entry: Entry, { session, readFull }: Full): Promise<Entry> {
  if (entry.kind !== 'call') return entry;
  if (readFull) return entry.part === undefined ? entry : { ...entry, output: await readFull(entry.call) };
  return { ...entry, output: shorten(entry, `klaus show ${session} --full`) };
}

const PAINTS = { ok: 'green', warn: 'yellow', bad: 'red' } as const;

function toLines(entry: Entry): string {
  switch (entry.kind) {
    case 'opened': {
      const { forked, parent } = entry;
      const lineage = forked
        ? `\nForked from ${forked.session} at event ${forked.seq}; both have the same events up to there.`
        : '';
      const agent = entry.agent === undefined ? '' : `agent ${entry.agent}, `;
      return `Session ${entry.session} in ${entry.workspace}\n${agent}${entry.model}, mode ${entry.mode}, sandbox ${entry.sandbox}, ${new Date(entry.at).toISOString()}${parent === undefined ? '' : `\nStarted by session ${parent}.`}${lineage}`;
    }
    case 'user': {
      const attached = entry.attached.length === 0 ? '' : `\nAttached: ${entry.attached.join(', ')}`;
      return `User${entry.steered ? ' (while it ran)' : ''}:\n${entry.text}${attached}`;
    }
    case 'model':
      return `Klaus:\n${entry.text}`;
    case 'call':
      return `${entry.title}: ${entry.outcome}, ${entry.duration}, turn ${entry.turn}\n${indent(entry.output)}`.trimEnd();
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

function indent(output: string): string {
  return output
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}

/** The first lines of an output, with a note on the rest and the command that prints it. */
function shorten({ output, part }: Extract<Entry, { kind: 'call' }>, full: string): string {
  const lines = output.trimEnd().split('\n');
  if (lines.length <= OUTPUT_LINES && part === undefined) return output;
  const shown = Math.min(OUTPUT_LINES, lines.length);
  const all = part ?? { lines: lines.length, bytes: output.length };
  return [...lines.slice(0, shown), `… ${describeOutputPart({ ...all, shown })}; ${full} prints all`].join('\n');
}
