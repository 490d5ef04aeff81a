import { closeSync, ftruncateSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import type { Event } from '@klaus/sdk';
import { CliError } from '../program/cli-error.ts';
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
  /** False after a write failed, as on a full disk. The next instance that works on the session completes the file. */
  readonly isComplete: boolean;
  /** Takes the events of the log in order from the first one. What the file has already is not written again. */
  add(event: Event): void;
}

/**
 * Opens the file, and removes a line that a kill cut off.
 *
 * @param file Absolute path. Created with mode 0600.
 * @throws CliError `store.full` if it cannot be opened, `store.corrupt` if its last line is none of this format.
 */
export function openRuntimeLog(file: string): RuntimeLog {
  const descriptor = openFile(file);
  const last = readEnd(file, descriptor);
  let isComplete = true;
  const toLines = createRuntimeLines();
  const isNew = ({ seq, part }: RuntimeLine): boolean =>
    last === undefined || seq > last.seq || (seq === last.seq && part > last.part);
  return {
    get isComplete() {
      return isComplete;
    },
    add(event) {
      const text = toLines(event)
        .filter(isNew)
        .map((line) => `${JSON.stringify(line)}\n`);
      if (!isComplete || text.length === 0) return;
      try {
        writeFileSync(descriptor, text.join(''));
      } catch {
        // The log of the session has the event.
        isComplete = false;
      }
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

function openFile(file: string): number {
  try {
    return openSync(file, 'a+', 0o600);
  } catch (cause) {
    throw new CliError('store.full', `${file} cannot be written: ${(cause as Error).message}.`, {
      hint: 'Free some space, or set `socketDir` (KLAUS_SOCKET_DIR) to a folder that you can write.',
      cause,
    });
  }
}

/** The last complete line; undefined for an empty file. */
function readEnd(file: string, descriptor: number): Pick<RuntimeLine, 'seq' | 'part'> | undefined {
  const bytes = readFileSync(file);
  const end = bytes.lastIndexOf(10) + 1;
  if (end < bytes.length) ftruncateSync(descriptor, end);
  if (end === 0) return undefined;
  const begin = bytes.lastIndexOf(10, end - 2) + 1;
  try {
    return JSON.parse(bytes.toString('utf8', begin, end)) as RuntimeLine;
  } catch (cause) {
    throw new CliError('store.corrupt', `The last line of ${file} is no runtime event.`, {
      hint: 'Delete the file: it is written again.',
      cause,
    });
  }
}
