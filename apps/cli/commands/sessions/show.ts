import type { RecalledText } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { openClient } from '../../client/open-client.ts';
import type { SearchResult } from '../../client/session-client.ts';
import { createPaint } from '../../output/paint.ts';
import { err, out } from '../../output/sink.ts';
import { printTranscript } from '../../output/transcript-text.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { RAW_OPTION } from '../../program/run-options.ts';
import type { ServerOptions } from '../../program/server-option.ts';

/** Maximum number of matches. */
const MAX_MATCHES = 20;

interface Options extends ServerOptions {
  json?: true;
  plain?: true;
  raw?: true;
  grep?: string;
}

export const command: LeafCommand = {
  name: 'show',
  summary: 'print the transcript of a session',
  server: 'both',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('<id>', 'sessions'))
      .option('--json', 'the events as NDJSON; with --grep one object per match')
      .option('--plain', 'no colours')
      .option('--raw', RAW_OPTION)
      .option('--grep <words>', 'only the passages that contain these words, in complete outputs too'),
  async run(id: string, options: Options) {
    await using client = await openClient(options);
    if (options.grep !== undefined)
      printMatches(await client.search(id, options.grep, { limit: MAX_MATCHES }), options);
    else {
      const events = client.events(id);
      if (options.json) for await (const event of events) out.json(event);
      else printTranscript(await Array.fromAsync(events), options);
    }
  },
};

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
