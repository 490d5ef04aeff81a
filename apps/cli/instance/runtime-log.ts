import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Event } from '@klaus/sdk';
import { createRuntimeEvents, type RuntimeEvent } from './runtime-events.ts';

/** A line of the file. */
export type RuntimeLine = RuntimeEvent & {
  sessionId: string;
  /** ISO 8601. */
  timestamp: string;
  /** Seq of the event of the log. */
  seq: number;
  /** Position among the lines of that event, from 0. */
  part: number;
};

/** The runtime events of a session as lines, for each event of its log from the first one on. */
export function createRuntimeLines(): (event: Event) => RuntimeLine[] {
  const fold = createRuntimeEvents();
  return (event) => {
    const { session: sessionId, seq, at } = event;
    const timestamp = new Date(at).toISOString();
    return fold(event).map((each, part) => ({ ...each, sessionId, timestamp, seq, part }));
  };
}

/** A file to which the runtime events of a session are appended. */
export interface RuntimeLog extends Disposable {
  /** Takes the events of the log in order from the first one. What the file has already is not written again. */
  add(event: Event): void;
}

/** Opens the file, and removes a line that a kill cut off. @param file Absolute path. Created with mode 0600. */
export function openRuntimeLog(file: string): RuntimeLog {
  const descriptor = openSync(file, 'a+', 0o600);
  const last = readEnd(file, descriptor);
  const toLines = createRuntimeLines();
  const isNew = ({ seq, part }: RuntimeLine): boolean =>
    last === undefined || seq > last.seq || (seq === last.seq && part > last.part);
  return {
    add(event) {
      const lines = toLines(event).filter(isNew);
      if (lines.length > 0) writeSync(descriptor, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

/** The last complete line; undefined for an empty file. */
function readEnd(file: string, descriptor: number): Pick<RuntimeLine, 'seq' | 'part'> | undefined {
  const bytes = readFileSync(file);
  const end = bytes.lastIndexOf(10) + 1;
  if (end < bytes.length) ftruncateSync(descriptor, end);
  if (end === 0) return undefined;
  const begin = bytes.lastIndexOf(10, end - 2) + 1;
  return JSON.parse(bytes.toString('utf8', begin, end)) as RuntimeLine;
}
