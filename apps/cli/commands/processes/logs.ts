import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessOutput } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { formatBytes } from '@klaus/sdk/transcript';
import { openKlaus } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import { outputFailure } from '../../output/streams.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { integer } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';
import { RAW_OPTION } from '../../program/run-options.ts';
import { PROCESS_NAME } from './process-name.ts';

/** Milliseconds between two checks for new output. */
const FOLLOW_MS = 200;

export const command: LeafCommand = {
  name: 'logs',
  summary: 'print the output of a background process',
  footer: `${PROCESS_NAME}\n`,
  server: 'local',
  declare: (declared) =>
    declared
      .argument('<process>', 'such as 01J/p1')
      .option('-f, --follow', 'print new output until the process ends')
      .option('--since <byte>', 'start at this byte of the output', integer(0))
      .option('--raw', RAW_OPTION)
      .option('--json', 'one object per piece: text, from, next'),
  async run(name: string, { follow, since = 0, ...options }: Options & { follow?: true; since?: number }) {
    await using klaus = await openKlaus();
    const found = await klaus.process(name);
    let from = since;
    let isEnd = false;
    // The reader of standard output can go away.
    while (!isEnd && outputFailure() === undefined && out.stream.writable) {
      // The state is read first: output from before the end is complete in the next read.
      const isRunning = follow === true && found.status().state === 'running';
      const piece = await found.read({ from, lines: isRunning });
      if (piece.next > from) await print(piece, from, options);
      else if (isRunning) await sleep(FOLLOW_MS);
      else isEnd = true;
      from = piece.next;
    }
  },
};

async function print(piece: ProcessOutput, from: number, { json, raw }: Options): Promise<void> {
  if (!json && piece.from > from) err.write(`[${formatBytes(piece.from - from)} in the middle were not kept]\n`);
  if (json) out.json(piece);
  else if (raw) out.raw(piece.text);
  else out.write(out.isTTY ? toPrintable(piece.text) : piece.text);
  // Waits for a slow reader.
  await out.flush();
}
