import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { codeOf, isRace } from '../../race-error.ts';
import type { Directory } from '../../directory.ts';
import type { ObjectWriter } from '../objects/object-writer.ts';
import type { Yielder } from '../../yielder.ts';
import { sha256 } from '../tree.ts';

/** A file up to this size is read at once; a larger one in pieces of this size. */
const PIECE_BYTES = 1024 * 1024;
/** A file that changes while it is read is read again; after that it is taken as it was found. */
const MAX_TRIES = 4;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

interface FileContent {
  hash: Buffer;
  size: number;
  stat: Stats;
  /** False when it changed while it was read: then nothing says that it still is what was read. */
  stable: boolean;
}

type ReadResult = FileContent | 'gone' | 'unreadable';

/** Where content goes; without a writer it is only hashed. */
export interface FileReader {
  writer?: ObjectWriter | undefined;
  yielder: Yielder;
}

/** Reads a regular file in an open directory. Memory does not grow with the file. */
export async function readFile(directory: Directory, name: string, reader: FileReader): Promise<ReadResult> {
  for (let attempt = 1; ; attempt++) {
    try {
      const path = directory.child(name);
      const taken = readSmall(path, reader) ?? (await readLarge(path, reader));
      if (taken === 'gone' || taken.stable || attempt === MAX_TRIES) return taken;
    } catch (error) {
      if (isRace(error)) return 'gone';
      // ENXIO: a socket took its place. EIO: the disk, of which the user hears from elsewhere.
      if (['EACCES', 'EPERM', 'EIO', 'ENXIO', 'ESTALE'].includes(readError(error))) return 'unreadable';
      throw error;
    }
  }
}

/** A failure of the store is no failure of the file. */
function readError(error: unknown): string {
  return error instanceof Error && error.name === 'KlausError' ? '' : codeOf(error);
}

/** Undefined when the file is large. */
function readSmall(path: string, reader: FileReader): FileContent | 'gone' | undefined {
  const fd = openSync(path, FLAGS);
  try {
    const before = fstatSync(fd);
    if (!before.isFile()) return 'gone';
    if (before.size > PIECE_BYTES) return undefined;
    // One more than expected, to see whether it has grown.
    const buffer = Buffer.allocUnsafeSlow(before.size + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size < buffer.length; size += read) {
      read = readSync(fd, buffer, size, buffer.length - size, null);
    }
    const bytes = buffer.subarray(0, size);
    const hash = sha256(bytes);
    reader.writer?.add(hash, bytes);
    const stat = fstatSync(fd);
    return { hash, size, stat, stable: isSame(before, stat) && size === stat.size };
  } finally {
    closeSync(fd);
  }
}

async function readLarge(path: string, { writer, yielder }: FileReader): Promise<FileContent | 'gone'> {
  const handle = await open(path, FLAGS);
  try {
    const before = await handle.stat();
    if (!before.isFile()) return 'gone';
    const whole = createHash('sha256');
    const chunks: Buffer[] = [];
    let size = 0;
    for (let ended = false; !ended;) {
      const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
      let length = 0;
      while (length < PIECE_BYTES && !ended) {
        const { bytesRead } = await handle.read(buffer, length, PIECE_BYTES - length, null);
        length += bytesRead;
        ended = bytesRead === 0;
      }
      const piece = buffer.subarray(0, length);
      if (length === 0) break;
      whole.update(piece);
      size += length;
      if (writer) {
        const hash = sha256(piece);
        chunks.push(hash);
        writer.add(hash, piece);
        if (writer.full) await writer.drain();
      }
      yielder.check();
      // A file that grows faster than it is read has no end.
      if (size > before.size + PIECE_BYTES) break;
    }
    const hash = whole.digest();
    if (chunks.length > 1) writer?.addChunked(hash, size, chunks);
    const stat = await handle.stat();
    return { hash, size, stat, stable: isSame(before, stat) && size === stat.size };
  } finally {
    await handle.close();
  }
}

/** The target of a symlink. Undefined when it is none any more. */
export function readLink(
  directory: Directory,
  name: string,
  { writer }: FileReader,
): Omit<FileContent, 'stat'> | undefined {
  try {
    // As bytes: a target need not be text.
    const target = readlinkSync(directory.child(name), { encoding: 'buffer' });
    const hash = sha256(target);
    writer?.add(hash, target);
    return { hash, size: target.length, stable: true };
  } catch (error) {
    if (isRace(error)) return undefined;
    throw error;
  }
}

function isSame(a: Stats, b: Stats): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.mode === b.mode;
}
