import { toPrintable, toSafeJsonText } from '@klaus/sdk/printable';
import { pino, stdSerializers } from 'pino';
import { DailyFile } from './daily-log-file.ts';
import type { Log } from './log.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface ServerLogOptions {
  level: LogLevel;
  /** Folder of a file for each day (`agent-2026-01-31.log`, in UTC), one JSON object a line. */
  folder: string;
  /** Files of earlier days that are kept; 0 keeps all. */
  keepDays: number;
  /** The same for whoever watches: as text or, with `json`, as it is. */
  write: (line: string) => void;
  json: boolean;
  /** Takes out what must not be written, such as credentials. */
  redact: (text: string) => string;
  /** Unix milliseconds. Default: the machine's clock. */
  now?: () => number;
}

/** What the server says of itself, from a level on, without secrets. */
export interface ServerLog extends Log {
  /** The last entry before the process ends. */
  fatal(text: string, fields?: Readonly<Record<string, unknown>>): void;
  /** A value that is never written from now on, wherever it stands. */
  hide(secret: string): void;
  /** Gives the file back; an entry that comes later opens it again. */
  close(): void;
}

/** Fields that are never written, whatever they hold. */
const HIDDEN = ['authorization', 'cookie', 'password', 'secret', 'token', 'apiKey', '["set-cookie"]'];

/**
 * Entries as pino writes them (`time`, `level`, `msg`, and `error` with its type, message and stack). They are made and
 * written in this process: a thread of its own would need a file of its own in the installed program, and loses what it
 * has not written yet when the process is killed.
 */
export function createServerLog(options: ServerLogOptions): ServerLog {
  const { level, folder, keepDays, write, json, redact, now = Date.now } = options;
  const secrets: string[] = [];
  const show = (line: string): void => write(json ? line : toText(line));
  const toTime = (): string => new Date(now()).toISOString();
  const onTrouble = (msg: string): void =>
    show(`${JSON.stringify({ level: 'warn', time: toTime(), msg: redact(msg) })}\n`);
  const file = new DailyFile({ folder, keepDays, now, onTrouble });
  const logger = pino(
    {
      level,
      base: null,
      serializers: { error: stdSerializers.err },
      timestamp: () => `,"time":"${toTime()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: HIDDEN.flatMap((name) => [name, `*${name.startsWith('[') ? '' : '.'}${name}`]) },
      hooks: { streamWrite: (line) => toSafeJsonText(toSafe(line, (text) => redact(hide(text, secrets)))) },
    },
    {
      write(line) {
        file.write(line);
        show(line);
      },
    },
  );
  const entry =
    (name: LogLevel | 'fatal') =>
    (text: string, fields: Readonly<Record<string, unknown>> = {}): void =>
      logger[name](fields, text);
  return {
    debug: entry('debug'),
    info: entry('info'),
    warn: entry('warn'),
    error: entry('error'),
    fatal: entry('fatal'),
    hide: (secret) => void secrets.push(secret),
    close: () => file.close(),
  };
}

/** Says why before the process ends by an error that nobody caught. Ends nothing by itself. */
export function logCrashes(log: Pick<ServerLog, 'fatal'>): () => void {
  const onCrash = (error: unknown, origin: string): void =>
    log.fatal('the server ends by an error that nobody caught', { error, origin });
  process.on('uncaughtExceptionMonitor', onCrash);
  return () => process.off('uncaughtExceptionMonitor', onCrash);
}

/** As it is, where nothing is to be hidden. A line that would be none any more is replaced. */
function toSafe(line: string, redact: (text: string) => string): string {
  const safe = redact(line);
  if (safe === line) return line;
  try {
    JSON.parse(safe);
    return safe.endsWith('\n') ? safe : `${safe}\n`;
  } catch {
    const { time, level } = JSON.parse(line) as Record<string, unknown>;
    return `${JSON.stringify({ level, time, msg: 'This entry held a secret and was left out.' })}\n`;
  }
}

/** As they stand, and as they stand in JSON. */
function hide(line: string, secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .reduce((text, secret) => text.replaceAll(secret, '…'), line);
}

/** `TIME LEVEL TEXT NAME=VALUE …`, on one line that does nothing to a terminal. */
function toText(line: string): string {
  const { time, level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const words = Object.entries(rest).map(([name, value]) => `${name}=${toWord(value)}`);
  return `${toPrintable([time, level, msg, ...words].join(' ').replaceAll(/\s*\n\s*/g, ' '))}\n`;
}

function toWord(value: unknown): string {
  if (typeof value === 'string') return value;
  const stack = typeof value === 'object' && value !== null && 'stack' in value ? value.stack : undefined;
  return typeof stack === 'string' ? stack : JSON.stringify(value);
}
