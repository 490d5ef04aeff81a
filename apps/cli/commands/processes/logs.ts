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
import { IdArgument } from '../../program/cli-command.ts';
import { PROCESS_NAME } from './process-name.ts';
import { SESSION_HELP } from '../sessions/chosen-session.ts';

/** Milliseconds between two checks for new output. */
const FOLLOW_MS = 200;

/** The name of a background process, not the id of a session. */
const PROCESS = /^([0-9A-Za-z]+\/)?p\d+$/;

interface LogsOptions extends Options {
  follow?: true;
  since?: number;
  number?: number;
}

export const command: LeafCommand = {
  name: 'logs',
  summary: 'print what happened in a session, or the output of a background process',
  examples: ['klaus logs', 'klaus logs 01J -n 20', 'klaus logs 01J -f --json', 'klaus logs 01J/p1 -f'],
  footer: `Of a process: ${PROCESS_NAME}`,
  server: 'local',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('[id]', 'sessions', `${SESSION_HELP}, or a process such as 01J/p1`))
      .option('-f, --follow', 'print what is new until the run or the process has ended')
      .option('-n, --number <count>', 'only the last events of the session', integer(0))
      .option('--since <byte>', 'start at this byte of the output of a process', integer(0))
      .option(
        '--raw',
        'of a session: its runtime events as NDJSON (docs/socket-protocol.md); of a process: its text unchanged',
      )
      .option('--plain', 'words instead of symbols, no colours, no animation: for screen readers')
      .option('--json', 'the events as NDJSON; of a process one object per piece: text, from, next'),
  async run(name: string | undefined, options: LogsOptions) {
    if (name !== undefined && PROCESS.test(name)) return await printProcess(name, options);
    const { printSession } = await import('../../run/print-session.ts');
    await printSession(name, options);
  },
};

async function printProcess(name: string, { follow, since = 0, ...options }: LogsOptions): Promise<void> {
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
}

async function print(piece: ProcessOutput, from: number, { json, raw }: Options): Promise<void> {
  if (!json && piece.from > from) err.write(`[${formatBytes(piece.from - from)} in the middle were not kept]\n`);
  if (json) out.json(piece);
  else if (raw) out.raw(piece.text);
  else out.write(out.isTTY ? toPrintable(piece.text) : piece.text);
  // Waits for a slow reader.
  await out.flush();
}
