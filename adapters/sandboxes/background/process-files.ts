import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ReserveProcess } from '@klaus/core/agent';

/** What a process was asked to be, written before its start. */
export interface ProcessRecord extends ReserveProcess {
  session: string;
  id: string;
  /** The Klaus that starts it, see `ownName`. */
  owner: string;
  /** Unix milliseconds. */
  startedAt: number;
}

/** One process of the machine, for as long as it has not been restarted. */
export interface ProcessName {
  pid: number;
  /** Clock ticks since boot. */
  startTime: string;
}

/** Which processes are meant, written before the command may begin. */
export interface ProcessIdentity {
  /** Another one means that the machine was restarted and the numbers mean nothing. */
  boot: string;
  /** Pid namespace in which the numbers count. */
  namespace: string;
  supervisor: ProcessName;
  /** First process in the sandbox: its end is the end of everything in there. */
  init: ProcessName;
  /** Folders of the control groups. */
  groups: readonly string[];
}

const RECORD = 'process.json';
const IDENTITY = 'identity.json';

/** `$KLAUS_HOME/processes/<session>`. */
export function toSessionFolder(home: string, session: string): string {
  return join(home, 'processes', session);
}

/** Numbers of the processes of a session, in order. */
export function listNumbers(folder: string): number[] {
  return list(folder)
    .flatMap((name) => (/^p[1-9]\d*$/.test(name) ? [Number(name.slice(1))] : []))
    .sort((a, b) => a - b);
}

/** Names in a folder; none where there is no folder. */
export function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Makes the folder of a process and its record, durable when it returns. */
export function writeRecord(folder: string, record: ProcessRecord): void {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  mkdirSync(folder, { mode: 0o700 });
  writeDurably(join(folder, RECORD), JSON.stringify(record));
  syncFolder(dirname(folder));
}

/** Undefined for a folder whose making was cut short. */
export function readRecord(folder: string): ProcessRecord | undefined {
  return readJson<ProcessRecord>(join(folder, RECORD));
}

export function writeIdentity(folder: string, identity: ProcessIdentity): void {
  writeDurably(join(folder, IDENTITY), JSON.stringify(identity));
}

export function readIdentity(folder: string): ProcessIdentity | undefined {
  return readJson<ProcessIdentity>(join(folder, IDENTITY));
}

export function writeJson(file: string, value: unknown): void {
  writeDurably(file, JSON.stringify(value));
}

/** Undefined when it is missing, empty or cut short. */
export function readJson<T>(file: string): T | undefined {
  const text = readText(file);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

/** Trimmed; undefined when it is missing or empty. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Unix milliseconds of the last change; null when there is no such file. */
export function readTime(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

/** The start of this machine; empty where it has no /proc. */
export function bootId(): string {
  return readText('/proc/sys/kernel/random/boot_id') ?? '';
}

function writeDurably(file: string, text: string): void {
  const descriptor = openSync(file, 'w', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  syncFolder(dirname(file));
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
