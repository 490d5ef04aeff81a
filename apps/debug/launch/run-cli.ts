import { headOf } from '../render/cut-text.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StatusMessage, Summary } from '../contract/index.ts';
import { KlendathuError } from '../investigate/klendathu-error.ts';
import type { LogEvent } from '../investigate/options.ts';
import { endWithProcess, killGroup } from './children.ts';
import { lifelineArguments } from './lifeline-arguments.ts';
import { readLines } from './read-lines.ts';

/** Milliseconds that the CLI has after a signal to report its summary. */
const GRACE_MS = 1000;
const MAX_OUTPUT = 32 * 1024 * 1024;
/** Lines of standard error that are no messages, kept for an error. */
const MAX_NOISE = 20;

export interface CliCommand {
  /** Program, and the Node.js that runs it if it is a script. */
  cli: string;
  node: string;
  env: Readonly<Record<string, string>>;
  /** Working folder. */
  folder: string;
  /** Arguments before `--json --events-fd 3`. */
  args?: readonly string[];
}

export interface CliListeners {
  /** Its reason is thrown. The CLI is ended, and gets a second to report its summary. */
  signal: AbortSignal;
  onStatus: (message: StatusMessage) => void;
  onEvent: (event: LogEvent) => void;
}

/** How the CLI ended. */
export interface CliEnd {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  output: string;
  summary: Summary | undefined;
  /** The last error that it reported. */
  failure: Extract<StatusMessage, { type: 'log' }> | undefined;
  /** Last lines of its standard error that are no messages. */
  noise: readonly string[];
}

/**
 * Starts the CLI with `input` as JSON on its standard input, and resolves when it has ended.
 *
 * @throws KlendathuError `cli-missing` if it cannot be started.
 */
export async function runCli(command: CliCommand, input: unknown, listeners: CliListeners): Promise<CliEnd> {
  const { statusMessageSchema } = await import('../contract/index.ts');
  listeners.signal.throwIfAborted();
  const child = start(command);
  const end: Pick<CliEnd, 'summary' | 'failure'> & { noise: string[] } = {
    summary: undefined,
    failure: undefined,
    noise: [],
  };
  const onLine = (line: string) => {
    const parsed = statusMessageSchema.safeParse(parseJson(line));
    if (!parsed.success) {
      end.noise = [...end.noise, headOf(line, 2000)].slice(-MAX_NOISE);
      const message = { type: 'log', message: headOf(line, 2000), timestamp: new Date().toISOString() } as const;
      return listeners.onStatus(message);
    }
    if (parsed.data.type === 'summary') end.summary = parsed.data;
    if (parsed.data.type === 'log' && parsed.data.level === 'error') end.failure = parsed.data;
    listeners.onStatus(parsed.data);
  };
  let output = '';
  const [stdin, stdout, stderr, events] = child.stdio as unknown as [Writable, Readable, Readable, Readable];
  const streams = [
    readLines(stderr, onLine),
    readLines(stdout, (line) => {
      if (output.length < MAX_OUTPUT) output += `${line}\n`;
    }),
    readLines(events, (line) => {
      const event = parseJson(line);
      if (isEvent(event)) listeners.onEvent(event);
    }),
  ];
  // It may end before it has read everything.
  stdin.on('error', () => {});
  stdin.end(input === undefined ? '' : JSON.stringify(input));
  const [exitCode, signal] = await waitForExit(child, listeners.signal);
  // A program that the CLI left behind may hold the streams open.
  const closed = Promise.all(streams);
  const timer = new AbortController();
  await Promise.race([closed, sleep(GRACE_MS, undefined, { signal: timer.signal }).catch(() => {})]);
  timer.abort();
  killGroup(child, 'SIGKILL');
  for (const stream of child.stdio) stream?.destroy();
  await closed;
  return { exitCode, signal, output, ...end };
}

function start({ cli, node, env, folder, args = [] }: CliCommand): ChildProcess {
  const own = ['--json', '--events-fd', '3'];
  const [program, parameters] = isScript(cli)
    ? [node, [...lifelineArguments(), cli, ...args, ...own]]
    : [cli, [...args, ...own]];
  return spawn(program, parameters, {
    cwd: folder,
    env,
    // A group of its own, so that its programs end with it.
    detached: process.platform !== 'win32',
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
}

async function waitForExit(child: ChildProcess, signal: AbortSignal): Promise<[number | null, NodeJS.Signals | null]> {
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  if (child.pid !== undefined) endWithProcess(child);
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    killGroup(child, 'SIGTERM');
    timer = setTimeout(() => killGroup(child, 'SIGKILL'), GRACE_MS);
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await exited;
  } catch (error) {
    for (const stream of child.stdio) stream?.destroy();
    throw new KlendathuError('cli-missing', `The agent cannot be started: ${(error as Error).message}`);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** True for a file that Node.js runs. */
export function isScript(path: string): boolean {
  if (/\.[cm]?[jt]s$/u.test(path)) return true;
  const head = Buffer.alloc(200);
  const file = openSync(path, 'r');
  try {
    readSync(file, head);
  } finally {
    closeSync(file);
  }
  return /^#!.*\bnode\b/u.test(head.toString('latin1'));
}

function isEvent(value: unknown): value is LogEvent {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
