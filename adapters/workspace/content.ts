import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { KlausError } from '@klaus/core/protocol';
import { shorten, type PathEntry } from './path-entry.ts';

const CHUNK = 256 * 1024;

/**
 * Opens the regular file at a entry for reading.
 *
 * @throws KlausError `tool.failed` when there is none.
 */
async function openFile(entry: PathEntry): Promise<FileHandle> {
  const name = shorten(entry.relative || '.');
  if (!entry.stat) throw new KlausError('tool.failed', `${name} does not exist.`);
  if (entry.stat.isDirectory()) throw new KlausError('tool.failed', `${name} is a directory.`);
  if (!entry.stat.isFile()) throw new KlausError('tool.failed', `${name} is not a regular file.`);
  const handle = await open(
    entry.parent.child(entry.name),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  // What was opened may be another thing than what was looked at.
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new KlausError('tool.failed', `${name} is not a regular file.`);
}

/** Bytes `offset` … `offset + length` of a file, or all of them. */
export async function readContent(
  entry: PathEntry,
  options: { maxBytes?: number; offset?: number; length?: number },
): Promise<Uint8Array> {
  const handle = await openFile(entry);
  try {
    const wanted = options.length ?? Number.POSITIVE_INFINITY;
    const max = options.maxBytes ?? Number.POSITIVE_INFINITY;
    const chunks: Buffer[] = [];
    let total = 0;
    for (let at = options.offset ?? 0; total < wanted;) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, wanted - total));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
      if (bytesRead === 0) break;
      chunks.push(chunk.subarray(0, bytesRead));
      at += bytesRead;
      total += bytesRead;
      if (total > max) {
        throw new KlausError('tool.failed', `${shorten(entry.relative)} is longer than ${max} bytes.`);
      }
    }
    return Buffer.concat(chunks);
  } finally {
    await handle.close();
  }
}

/** Lower-case SHA-256 of a file's content; null when nothing is there. */
export async function hashContent(entry: PathEntry): Promise<string | null> {
  if (!entry.stat) return null;
  const handle = await openFile(entry);
  try {
    const hash = createHash('sha256');
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (;;) {
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(chunk.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

/** Lower-case SHA-256. */
export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
