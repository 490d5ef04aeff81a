import { createWriteStream, fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Event } from '@klaus/sdk';
import { CliFailure } from '../program/cli-failure.ts';

/** The descriptor of `--events-fd`. */
export interface EventStream {
  write(event: Event): void;
  /** Waits until everything is written, but not for a reader that does not read. */
  close(): Promise<void>;
}

const CLOSE_MS = 2_000;

/** @throws CliFailure `input` for a descriptor that is not open. */
export function openEventStream(fd: number): EventStream {
  const stream = openDescriptor(fd);
  let isBroken = false;
  stream.on('error', () => (isBroken = true));
  return {
    write(event) {
      if (!isBroken) stream.write(`${JSON.stringify(event)}\n`);
    },
    async close() {
      if (isBroken) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      stream
        .once('close', resolve)
        .once('finish', resolve)
        .once('error', () => resolve());
      setTimeout(resolve, CLOSE_MS).unref();
      stream.end();
      await promise;
    },
  };
}

function openDescriptor(fd: number): Writable {
  try {
    const stat = fstatSync(fd);
    // A file stream blocks a thread while a pipe is full, and the program could not end.
    if (stat.isFIFO() || stat.isSocket()) return new Socket({ fd, readable: false, writable: true });
    if (stat.isFile() || stat.isCharacterDevice()) return createWriteStream('', { fd, autoClose: false });
  } catch (error) {
    throw new CliFailure('input', `--events-fd ${fd} is no open descriptor: ${(error as Error).message}`);
  }
  // Node opens descriptors for itself, so the number may be in use.
  throw new CliFailure('input', `--events-fd ${fd} is no pipe, socket or file.`);
}
