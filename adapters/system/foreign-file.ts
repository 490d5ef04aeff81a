import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';

/** Opening a named pipe would wait for its other end. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
/** Bytes. */
const MAX = 8 * 1_024 * 1_024;
/** Bytes that are copied at once. */
const COPY_BYTES = 1_024 * 1_024;

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
  const { bytes, isCut } = await read(path, options);
  return { text: bytes.toString('utf8'), isCut };
}

/** As {@link readForeignFile}, for files that are on a local disk. */
export function readForeignFileSync(path: string, options: ForeignFileOptions = {}): ForeignFile {
  const { bytes, isCut } = readSynchronously(path, options);
  return { text: bytes.toString('utf8'), isCut };
}

/** As {@link readForeignFile}, for content that is no text. @param max Bytes. Default: 8 MiB. */
export async function readForeignBytes(path: string, max?: number): Promise<Buffer> {
  return (await read(path, { max })).bytes;
}

/** As {@link readForeignBytes}, for files that are on a local disk. */
export function readForeignBytesSync(path: string, max?: number): Buffer {
  return readSynchronously(path, { max }).bytes;
}

/**
 * Copies the content and the permissions of a file whose path or content others choose; `to` is replaced or created.
 *
 * @throws Error as {@link readForeignFileSync} does, except that the size has no limit.
 */
export function copyForeignFileSync(from: string, to: string): void {
  const file = openForeignFileSync(from);
  try {
    const { mode, size } = fstatSync(file);
    const copy = openSync(to, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, mode & 0o777);
    try {
      const part = Buffer.allocUnsafe(COPY_BYTES);
      // The file may grow while it is copied.
      for (let done = 0; done < size;) {
        const length = readSync(file, part, 0, Math.min(part.length, size - done), done);
        if (length === 0) break;
        for (let at = 0; at < length;) at += writeSync(copy, part, at, length - at);
        done += length;
      }
    } finally {
      closeSync(copy);
    }
  } finally {
    closeSync(file);
  }
}

/**
 * Opens a file whose path or content others choose for reading. The caller closes it.
 *
 * @throws Error as {@link readForeignFile} does.
 */
export function openForeignFileSync(path: string): number {
  // Opening a device can have an effect.
  checkRegular(path, statSync(path));
  const file = openSync(path, FLAGS);
  try {
    // It may be another one by now.
    checkRegular(path, fstatSync(file));
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** True for a regular file, and for a link to one. It opens nothing. */
export function isRegularFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

async function read(path: string, options: ForeignFileOptions): Promise<{ bytes: Buffer; isCut: boolean }> {
  checkRegular(path, await stat(path));
  const file = await open(path, FLAGS);
  try {
    const { bytes, from, isCut } = prepare(path, await file.stat(), options);
    let done = 0;
    for (;;) {
      const { bytesRead } = await file.read(bytes, done, bytes.length - done, from + done);
      done += bytesRead;
      if (bytesRead === 0) return { bytes: bytes.subarray(0, done), isCut };
    }
  } finally {
    await file.close();
  }
}

function readSynchronously(path: string, options: ForeignFileOptions): { bytes: Buffer; isCut: boolean } {
  const file = openForeignFileSync(path);
  try {
    const { bytes, from, isCut } = prepare(path, fstatSync(file), options);
    let done = 0;
    for (;;) {
      const length = readSync(file, bytes, done, bytes.length - done, from + done);
      done += length;
      if (length === 0) return { bytes: bytes.subarray(0, done), isCut };
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
