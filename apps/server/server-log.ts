import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from './log.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LEVELS)[number];

export interface ServerLogOptions {
  level: LogLevel;
  /** Folder of a file for each day (`agent-2026-01-31.log`, in UTC), one JSON object a line. */
  folder: string;
  /** The same for whoever watches: as text or, with `json`, as it is. */
  write: (line: string) => void;
  json: boolean;
  /** Words that must not be written, such as the token. */
  secrets: readonly string[];
}

/** What the server says of itself, from a level on, without secrets. */
export function createServerLog({ level, folder, write, json, secrets }: ServerLogOptions): Log {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const entry =
    (name: LogLevel) =>
    (text: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      if (LEVELS.indexOf(name) < LEVELS.indexOf(level)) return;
      const time = new Date().toISOString();
      const plain = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, toPlain(value)]));
      const line = hide(`${JSON.stringify({ time, level: name, text, ...plain })}\n`, secrets);
      appendFileSync(join(folder, `agent-${time.slice(0, 10)}.log`), line, { mode: 0o600 });
      if (json) write(line);
      else write(hide(`${time} ${name} ${text}${toRest(plain)}\n`, secrets));
    };
  return { debug: entry('debug'), info: entry('info'), warn: entry('warn'), error: entry('error') };
}

function toRest(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([name, value]) => ` ${name}=${String(value).replaceAll(/\s*\n\s*/g, ' ')}`)
    .join('');
}

function toPlain(value: unknown): string | number | boolean | null {
  if (value instanceof Error) return value.stack ?? value.message;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return value === null || value === undefined ? null : JSON.stringify(value);
}

function hide(line: string, secrets: readonly string[]): string {
  return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), line);
}
