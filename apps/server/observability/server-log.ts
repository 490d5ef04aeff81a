import { toPrintable, toSafeJsonText } from '@klaus/sdk/printable';
import { pino, stdSerializers } from 'pino';
import { DailyLogFile } from './daily-log-file.ts';
import type { Log } from './log.ts';

export interface ServerLogOptions {
  level: keyof Log;
  /** Folder of the daily files (`agent-2026-01-31.log`, in UTC), one JSON object a line. */
  folder: string;
  /** Number of earlier files to keep; 0 keeps all. */
  keepDays: number;
  /** Prints each entry as text, or as JSON with `json`. */
  write: (line: string) => void;
  json: boolean;
  /** Removes credentials. */
  redact: (text: string) => string;
  /** Unix milliseconds. Default: the machine's clock. */
  now?: () => number;
}

/** A log with a level, which writes no secrets. */
export interface ServerLog extends Log {
  /** The last entry before the process ends. */
  fatal(text: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Removes the value from all later entries. */
  hide(secret: string): void;
  /** Closes the file; a later entry opens it again. */
  close(): void;
}

/** Fields that are always removed. */
const HIDDEN = ['authorization', 'cookie', 'password', 'secret', 'token', 'apiKey', '["set-cookie"]'];

/**
 * Writes entries in the format of pino (`time`, `level`, `msg`, and `error` with type, message and stack). It uses no
 * transport thread, which would need a file of its own in the package and loses entries when the process is killed.
 */
export function createServerLog(options: ServerLogOptions): ServerLog {
  const { level, folder, keepDays, write, json, redact, now = Date.now } = options;
  const secrets: string[] = [];
  const print = (line: string): void => write(json ? line : toText(line));
  const toTime = (): string => new Date(now()).toISOString();
  const onWarning = (msg: string): void =>
    print(`${JSON.stringify({ level: 'warn', time: toTime(), msg: redact(msg) })}\n`);
  const file = new DailyLogFile({ folder, keepDays, now, onWarning });
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
        print(line);
      },
    },
  );
  const entry =
    (name: keyof Log | 'fatal') =>
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

/** Logs an uncaught error before the process ends. Returns a function that stops it. */
export function logCrashes(log: Pick<ServerLog, 'fatal'>): () => void {
  const onCrash = (error: unknown, origin: string): void =>
    log.fatal('the server ends with an uncaught error', { error, origin });
  process.on('uncaughtExceptionMonitor', onCrash);
  return () => process.off('uncaughtExceptionMonitor', onCrash);
}

/** Redacts a line. A line that is no valid JSON after that is replaced. */
function toSafe(line: string, redact: (text: string) => string): string {
  const safe = redact(line);
  if (safe === line) return line;
  try {
    JSON.parse(safe);
    return safe.endsWith('\n') ? safe : `${safe}\n`;
  } catch {
    const { time, level } = JSON.parse(line) as Record<string, unknown>;
    return `${JSON.stringify({ level, time, msg: 'This entry contained a secret and was removed.' })}\n`;
  }
}

/** Removes secrets, also in their JSON encoding. */
function hide(line: string, secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .reduce((text, secret) => text.replaceAll(secret, '…'), line);
}

/** `TIME LEVEL TEXT NAME=VALUE …` on one line, without control characters. */
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
