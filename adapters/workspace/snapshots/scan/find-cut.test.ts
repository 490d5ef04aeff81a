import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { findCut, MAX_CHUNK_BYTES } from './find-cut.ts';

/** The same pseudo-random bytes every time. */
function toBytes(length: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < length; at += 32) parts.push(createHash('sha256').update(String(at)).digest());
  return Buffer.concat(parts).subarray(0, length);
}

function toChunks(bytes: Buffer): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = findCut(bytes.subarray(at));
    chunks.push(
      createHash('sha256')
        .update(bytes.subarray(at, at + length))
        .digest('hex'),
    );
    at += length;
  }
  return chunks;
}

test('chunks end by content, so that an insertion changes only the chunks around it', () => {
  const bytes = toBytes(12 * 1024 * 1024);
  const before = toChunks(bytes);
  const after = toChunks(
    Buffer.concat([bytes.subarray(0, 5_000_000), Buffer.from('inserted'), bytes.subarray(5_000_000)]),
  );
  expect(before.length).toBeGreaterThan(5);
  expect(after.filter((chunk) => !before.includes(chunk)).length).toBeLessThanOrEqual(2);
  expect(toChunks(bytes)).toEqual(before);
});

test('a chunk has a maximum length', () => {
  expect(findCut(Buffer.alloc(MAX_CHUNK_BYTES * 2))).toBe(MAX_CHUNK_BYTES);
  expect(findCut(Buffer.alloc(10))).toBe(10);
});
