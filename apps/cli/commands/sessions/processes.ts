import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessOutput, ProcessStatus } from '@klaus/sdk';
import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { describeProcessState, formatBytes, formatDuration } from '@klaus/sdk/transcript';
import { outputWidth, toTable } from '../../output/table.ts';
import { outputFailure } from '../../output/streams.ts';
import { err, out } from '../../output/sink.ts';

/** Between two looks for new output. */
const FOLLOW_MS = 200;

export interface PsOptions {
  all?: true;
  json?: true;
}

export interface LogsOptions {
  follow?: true;
  since?: number;
  json?: true;
  raw?: true;
}

export interface StopOptions {
  now?: true;
  json?: true;
}

/** `klaus ps [ID]`. */
export async function ps(id: string | undefined, options: PsOptions): Promise<number> {
  await using klaus = await openKlaus();
  const all = klaus.processes(id === undefined ? undefined : (await klaus.session(id)).id);
  const rows = all.filter(({ state }) => state === 'running' || options.all === true);
  if (options.json === true) {
    for (const row of rows) out.json(row);
    return EXIT.done;
  }
  if (rows.length === 0) {
    const hint = options.all === true ? '' : ' klaus ps --all lists those that have ended.';
    err.write(`No background process runs.${hint}\n`);
    return EXIT.done;
  }
  const table = rows.map((row) => [
    `${row.session}/${row.id}`,
    describeProcessState(row),
    row.pid === null ? '' : String(row.pid),
    toAge(row),
    formatBytes(row.bytes),
    row.survives ? 'survives' : '',
    toLine(row.command, 200),
  ]);
  const head = ['PROCESS', 'STATE', 'PID', 'TIME', 'OUTPUT', '', 'COMMAND'];
  out.write(toTable([head, ...table], outputWidth()));
  return EXIT.done;
}

function toAge({ startedAt, endedAt, state }: ProcessStatus): string {
  const until = state === 'running' ? Date.now() : endedAt;
  return until === null ? '' : formatDuration(Math.max(0, until - startedAt));
}

/** `klaus logs PROCESS [-f]`. */
export async function logs(name: string, options: LogsOptions): Promise<number> {
  await using klaus = await openKlaus();
  const found = await klaus.process(name);
  let from = options.since ?? 0;
  let isEnd = false;
  while (!isEnd && isRead()) {
    // Looked at first: what it wrote before its end is there by the next read.
    const goesOn = options.follow === true && found.status().state === 'running';
    const piece = await found.read({ from, lines: goesOn });
    if (piece.next > from) await print(piece, from, options);
    else if (goesOn) await sleep(FOLLOW_MS);
    else isEnd = true;
    from = piece.next;
  }
  return EXIT.done;
}

/** False once nobody reads our output, or it cannot be written. */
function isRead(): boolean {
  return outputFailure() === undefined && out.stream.writable;
}

async function print(piece: ProcessOutput, from: number, options: LogsOptions): Promise<void> {
  if (options.json !== true && piece.from > from)
    err.write(`[${formatBytes(piece.from - from)} in the middle were not kept]\n`);
  if (options.json === true) out.json(piece);
  else if (options.raw) out.raw(piece.text);
  else out.write(out.isTTY ? toPrintable(piece.text) : piece.text);
  // Waits for a reader that is slow.
  await out.flush();
}

/** `klaus stop PROCESS`. */
export async function stop(name: string, options: StopOptions): Promise<number> {
  await using klaus = await openKlaus();
  const found = await klaus.process(name);
  const before = found.status();
  const wasRunning = before.state === 'running';
  const status = wasRunning
    ? (await found.stop({ by: 'klaus stop', ...(options.now === true ? { graceMs: 0 } : {}) })).status
    : before;
  if (options.json === true) {
    out.json({ ...status, wasRunning });
    return EXIT.done;
  }
  const what = `${status.session}/${status.id}`;
  const line = wasRunning ? `${what} is stopped.` : `${what} does not run: ${describeProcessState(status)}.`;
  out.write(`${toPrintable(line)}\n`);
  for (const warning of status.warnings) err.write(`${toPrintable(warning)}\n`);
  return EXIT.done;
}
