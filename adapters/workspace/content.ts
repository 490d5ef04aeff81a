import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { KlausError } from '@klaus/core/protocol';
import { shorten, type PathEntry } from './path-entry.ts';

const CHUNK = 256 * 1024;

/**
 * Opens a regular file for reading.
 *
 * @throws KlausError `tool.failed` for anything else.
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
  // The file may have been replaced after the check.
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new KlausError('tool.failed', `${name} is not a regular file.`);
}

/** The bytes from `offset` to `offset + length` of a file; by default all. */
export async function readContent(
  entry: PathEntry,
  options: { maxBytes?: number; offset?: number; length?: number },
): Promise<Uint8Array> {
  await using handle = await openFile(entry);
  const requested = options.length ?? Number.POSITIVE_INFINITY;
  const max = options.maxBytes ?? Number.POSITIVE_INFINITY;
  const chunks: Buffer[] = [];
  let total = 0;
  for (let at = options.offset ?? 0; total < requested;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, requested - total));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    at += bytesRead;
    total += bytesRead;
    if (total > max) throw new KlausError('tool.failed', `${shorten(entry.relative)} is longer than ${max} bytes.`);
  }
  return Buffer.concat(chunks);
}

/** Lower-case SHA-256 of a file's content; null when the file does not exist. */
export async function hashContent(entry: PathEntry): Promise<string | null> {
  if (!entry.stat) return null;
  await using handle = await openFile(entry);
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK);
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(chunk.subarray(0, bytesRead));
  }
}

/** Lower-case SHA-256. */
export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
