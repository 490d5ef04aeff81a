#!/usr/bin/env node
import { headOf } from '../render/cut-text.ts';
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { toLine } from '../hooks/print-outcome.ts';
import { KlendathuError } from '../investigate/klendathu-error.ts';
import type { Report } from '../investigate/report.ts';
import type { RunOptions } from '../investigate/options.ts';
import { listRecords, readRecord, toRecordsFolder } from '../records/record-store.ts';
import { messageOf } from '../investigate/message-of.ts';

const HELP = `Usage: klendathu investigate RECORD [options]   asks an agent about a recorded failure
       klendathu records [--folder PATH]        lists the recorded failures, the newest first

Options of investigate:
  --json                print the report as JSON, and status messages as lines of JSON on standard error
  --model MODEL         provider/id, or a tier
  --instructions TEXT   more instructions for the agent
  --timeout MS          default 300000
  --events-fd NUMBER    write events of the log as lines of JSON to a descriptor
  --options-from-stdin  read more options as JSON

  --help                print this help
  --version             print the version
`;

const OPTIONS = {
  json: { type: 'boolean' },
  model: { type: 'string' },
  instructions: { type: 'string' },
  timeout: { type: 'string' },
  'events-fd': { type: 'string' },
  'options-from-stdin': { type: 'boolean' },
  folder: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parse>['values'];

function parse() {
  return parseArgs({ options: OPTIONS, allowPositionals: true });
}

async function main(): Promise<number> {
  const { values, positionals } = parse();
  const [command, record, ...more] = positionals;
  if (values.version) return print(`${readVersion()}\n`);
  if (values.help || command === undefined) return print(HELP);
  if (command === 'records' && record === undefined)
    return printRecords(values.folder ?? toRecordsFolder(process.cwd()));
  if (command === 'investigate' && record !== undefined && more.length === 0) return investigate(record, values);
  throw new KlendathuError('input', `Unknown command: ${positionals.join(' ')}`, { hint: 'See `klendathu --help`.' });
}

function readVersion(): string {
  return (createRequire(import.meta.url)('klendathu/package.json') as { version: string }).version;
}

async function printRecords(folder: string): Promise<number> {
  for (const path of listRecords(folder)) {
    const { timestamp, count, error } = await readRecord(path);
    const message = headOf(error.message.split('\n')[0]!.replaceAll(/\p{Cc}/gu, ''), 100);
    print(`${timestamp}  ${String(count).padStart(6)}  ${path}  ${error.name}: ${message}\n`);
  }
  return 0;
}

async function investigate(record: string, values: Values): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  const given = values['options-from-stdin'] ? await readOptions() : {};
  const options: RunOptions = {
    ...given,
    signal: stop.signal,
    ...(values.model !== undefined && { model: values.model }),
    ...(values.instructions !== undefined && { instructions: values.instructions }),
    ...(values.timeout !== undefined && { timeoutMs: Number(values.timeout) }),
  };
  const { checkOptions } = await import('../investigate/check-options.ts');
  checkOptions(options);
  const { investigateRecord } = await import('../records/investigate-record.ts');
  const run = investigateRecord(record, options);
  const [report] = await Promise.all([
    run,
    values.json ? printLines(run.stderr, 2) : undefined,
    values['events-fd'] === undefined ? undefined : printLines(run.events, Number(values['events-fd'])),
  ]);
  if (values.json) return print(`${JSON.stringify(toData(report))}\n`);
  return print(`${report.text}\n${report.fix === undefined ? '' : `\n${report.fix.unifiedDiff}\n`}`);
}

function toData({ text, rootCause, evidence, fix, stats }: Report) {
  return { text, rootCause, evidence, fix, stats };
}

async function readOptions(): Promise<RunOptions> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk);
  return JSON.parse(text) as RunOptions;
}

async function printLines(messages: AsyncIterable<unknown>, descriptor: number): Promise<void> {
  for await (const message of messages) write(descriptor, `${JSON.stringify(message)}\n`);
}

function print(text: string): 0 {
  write(1, text);
  return 0;
}

/** Writes all of a text, also to a pipe whose reader is slow. */
function write(descriptor: number, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
    }
  }
}

async function fail(error: unknown): Promise<number> {
  const { FAILURE_CODES } = await import('../contract/index.ts');
  const failure = KlendathuError.isInstance(error) ? error : new KlendathuError('input', messageOf(error));
  const { code, message, hint } = failure;
  const status = { type: 'log', level: 'error', code, message, hint, timestamp: new Date().toISOString() };
  write(2, process.argv.includes('--json') ? `${JSON.stringify(status)}\n` : `${toLine(failure)}\n`);
  return FAILURE_CODES[code];
}

process.exitCode = await main().catch(fail);
