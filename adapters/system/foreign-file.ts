import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';

/** Opening a named pipe would wait for its other end. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
/** Bytes. */
const MAX = 8 * 1_024 * 1_024;

export interface ForeignFileOptions {
  /** Bytes that are read at most. Default: 8 MiB. */
  max?: number;
  /** Which bytes of a larger file are read. Default: none, and the file is refused. */
  part?: 'head' | 'tail';
}

export interface ForeignFile {
  text: string;
  /** True if the file has other bytes than those in `text`. */
  isCut: boolean;
}

/**
 * Reads a file whose path or content others choose: it never waits for a pipe or a device, and reads no more than `max`
 * bytes. The main thread does not read, so that a slow file system delays nothing else.
 *
 * @throws Error as `node:fs` does; with the code `EINVAL` for what is no regular file, `EFBIG` for one that is too large.
 */
export async function readForeignFile(path: string, options: ForeignFileOptions = {}): Promise<ForeignFile> {
  // Opening a device can have an effect.
  checkRegular(path, await stat(path));
  const file = await open(path, FLAGS);
  try {
    const { bytes, from, isCut } = prepare(path, await file.stat(), options);
    let done = 0;
    for (;;) {
      const { bytesRead } = await file.read(bytes, done, bytes.length - done, from + done);
      done += bytesRead;
      if (bytesRead === 0) return { text: bytes.toString('utf8', 0, done), isCut };
    }
  } finally {
    await file.close();
  }
}

/** As {@link readForeignFile}, for files that are on a local disk. */
export function readForeignFileSync(path: string, options: ForeignFileOptions = {}): ForeignFile {
  checkRegular(path, statSync(path));
  const file = openSync(path, FLAGS);
  try {
    const { bytes, from, isCut } = prepare(path, fstatSync(file), options);
    let done = 0;
    for (;;) {
      const read = readSync(file, bytes, done, bytes.length - done, from + done);
      done += read;
      if (read === 0) return { text: bytes.toString('utf8', 0, done), isCut };
    }
  } finally {
    closeSync(file);
  }
}

function prepare(path: string, found: Stats, { max = MAX, part }: ForeignFileOptions) {
  // It may be another one by now.
  checkRegular(path, found);
  const isCut = found.size > max;
  if (isCut && part === undefined) throw toFailure('EFBIG', `${path} is larger than ${max} bytes`);
  const bytes = Buffer.alloc(Math.min(found.size, max));
  return { bytes, from: isCut && part === 'tail' ? found.size - max : 0, isCut };
}

function checkRegular(path: string, found: Stats): void {
  if (!found.isFile()) throw toFailure('EINVAL', `${path} is no regular file`);
}

function toFailure(code: 'EINVAL' | 'EFBIG', message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code });
}
