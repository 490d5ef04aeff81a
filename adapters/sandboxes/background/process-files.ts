import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ReserveProcess } from '@klaus/core/agent';
import { listNames } from '@klaus/adapters/system';
import { readJson, readText } from '../read-text.ts';

/** The request for a process, written before its start. */
export interface ProcessRecord extends ReserveProcess {
  session: string;
  id: string;
  /** The Klaus process that starts it, see `ownName`. */
  owner: string;
  /** Unix milliseconds. */
  startedAt: number;
}

/** Identifies a process of the machine until its restart. */
export interface ProcessName {
  pid: number;
  /** Clock ticks since boot. */
  startTime: string;
}

/** The processes of a background command, written before it may begin. */
export interface ProcessIdentity {
  /** Differs after a restart of the machine, when the ids are invalid. */
  boot: string;
  /** Pid namespace of the ids. */
  namespace: string;
  supervisor: ProcessName;
  /** Init process of the sandbox: its end ends all other processes in it. */
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

/** Numbers of the processes of a session, sorted. */
export function listNumbers(folder: string): number[] {
  return listNames(folder)
    .flatMap((name) => (/^p[1-9]\d*$/.test(name) ? [Number(name.slice(1))] : []))
    .sort((a, b) => a - b);
}

/** Creates the folder of a process with its record, durably. */
export function writeRecord(folder: string, record: ProcessRecord): void {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  mkdirSync(folder, { mode: 0o700 });
  writeJson(join(folder, RECORD), record);
  syncFolder(dirname(folder));
}

/** Undefined for an incomplete folder. */
export function readRecord(folder: string): ProcessRecord | undefined {
  return readJson<ProcessRecord>(join(folder, RECORD));
}

export function writeIdentity(folder: string, identity: ProcessIdentity): void {
  writeJson(join(folder, IDENTITY), identity);
}

export function readIdentity(folder: string): ProcessIdentity | undefined {
  return readJson<ProcessIdentity>(join(folder, IDENTITY));
}

/** Writes a value durably. */
export function writeJson(file: string, value: unknown): void {
  const descriptor = openSync(file, 'w', 0o600);
  try {
    writeSync(descriptor, JSON.stringify(value));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  syncFolder(dirname(file));
}

/** The trimmed text; undefined when the file is missing or empty. */
export function readLine(file: string): string | undefined {
  return readText(file)?.trim() || undefined;
}

/** Identifies the last start of the machine; empty without /proc. */
export function bootId(): string {
  return readLine('/proc/sys/kernel/random/boot_id') ?? '';
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
