import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { codeOf, isRace } from '../../race-error.ts';
import type { FileName } from '../../byte-names.ts';
import type { Directory } from '../../directory.ts';
import type { ObjectWriter } from '../objects/object-writer.ts';
import type { Yielder } from '../../yielder.ts';
import { sha256 } from '../tree.ts';
import { findCut, MAX_CHUNK_BYTES } from './find-cut.ts';

/** Smaller files are read at once, larger ones in pieces of this size. */
const PIECE_BYTES = 1024 * 1024;
/** Attempts to read a file that changes. The last result is used. */
const MAX_TRIES = 4;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

interface FileContent {
  hash: Buffer;
  size: number;
  stat: Stats;
  /** False when the file changed while it was read, so that the result may be outdated. */
  stable: boolean;
}

type ReadResult = FileContent | 'missing' | 'unreadable';

/** The destination of content. Without a writer the content is only hashed. */
export interface FileReader {
  writer?: ObjectWriter;
  yielder: Yielder;
}

/** Reads a regular file in an open directory, with bounded memory. */
export async function readFile(directory: Directory, name: FileName, reader: FileReader): Promise<ReadResult> {
  for (let attempt = 1; ; attempt++) {
    try {
      const path = directory.child(name);
      const content = readSmall(path, reader) ?? (await readLarge(path, reader));
      if (content === 'missing' || content.stable || attempt === MAX_TRIES) return content;
    } catch (error) {
      if (isRace(error)) return 'missing';
      // ENXIO: a socket has replaced the file. EIO: a disk failure, which is reported elsewhere.
      if (['EACCES', 'EPERM', 'EIO', 'ENXIO', 'ESTALE'].includes(readError(error))) return 'unreadable';
      throw error;
    }
  }
}

/** The code of an error of the file; '' for an error of the store. */
function readError(error: unknown): string {
  return error instanceof Error && error.name === 'KlausError' ? '' : codeOf(error);
}

/** Undefined when the file is large. */
function readSmall(path: FileName, reader: FileReader): FileContent | 'missing' | undefined {
  const fd = openSync(path, FLAGS);
  try {
    const before = fstatSync(fd);
    if (!before.isFile()) return 'missing';
    if (before.size > PIECE_BYTES) return undefined;
    // One byte more than expected, to notice that the file is growing.
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

async function readLarge(path: FileName, { writer, yielder }: FileReader): Promise<FileContent | 'missing'> {
  await using handle = await open(path, FLAGS);
  const before = await handle.stat();
  if (!before.isFile()) return 'missing';
  const total = createHash('sha256');
  const chunks: Buffer[] = [];
  const buffer = Buffer.allocUnsafeSlow(MAX_CHUNK_BYTES);
  let size = 0;
  let length = 0;
  for (let ended = false; !ended || length > 0;) {
    while (length < buffer.length && !ended) {
      const { bytesRead } = await handle.read(buffer, length, Math.min(PIECE_BYTES, buffer.length - length), null);
      length += bytesRead;
      ended = bytesRead === 0;
    }
    if (length === 0) break;
    // Without a writer the boundaries do not matter.
    const piece = Buffer.from(buffer.subarray(0, writer ? findCut(buffer.subarray(0, length)) : length));
    buffer.copyWithin(0, piece.length, length);
    length -= piece.length;
    total.update(piece);
    size += piece.length;
    if (writer) {
      const hash = sha256(piece);
      chunks.push(hash);
      writer.add(hash, piece);
      if (writer.full) await writer.drain();
    }
    yielder.check();
    // The file grows faster than it is read.
    if (size > before.size + MAX_CHUNK_BYTES) break;
  }
  const hash = total.digest();
  if (chunks.length > 1) writer?.addChunked(hash, size, chunks);
  const stat = await handle.stat();
  return { hash, size, stat, stable: isSame(before, stat) && size === stat.size };
}

/** The target of a symlink. Undefined when it was removed or replaced. */
export function readLink(
  directory: Directory,
  name: FileName,
  { writer }: FileReader,
): Omit<FileContent, 'stat'> | undefined {
  try {
    // As bytes, because a target is not necessarily valid UTF-8.
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
