import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { CreateStoreHarness } from './store-harness.ts';

/** Blobs. */
export function describeBlobs(create: CreateStoreHarness): void {
  test('bytes that are written in pieces are read back from another connection', async () => {
    await using harness = await create();
    const pieces = [Buffer.from('one '), Buffer.alloc(200_000, 7), Buffer.from([0, 255])];
    const all = Buffer.concat(pieces);
    const hash = createHash('sha256').update(all).digest('hex');
    await using writing = await harness.open();
    const writer = writing.writeBlob();
    for (const piece of pieces) writer.write(piece);
    expect(await writer.finish()).toEqual({ hash, size: all.length });
    await using reading = await harness.open();
    expect(Buffer.from((await reading.readBlob(hash))!).equals(all)).toBe(true);
  });

  test('equal bytes are stored once, and an aborted blob is not stored', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const write = async (text: string) => {
      const writer = store.writeBlob();
      writer.write(Buffer.from(text));
      return writer.finish();
    };
    expect(await write('same')).toEqual(await write('same'));
    const aborted = store.writeBlob();
    aborted.write(Buffer.from('half'));
    aborted.abort();
    aborted.abort();
    await expect(aborted.finish()).rejects.toBeInstanceOf(Error);
    expect(await store.stats()).toMatchObject({ blobs: 1, bytes: { blobs: 4 } });
  });

  test('an empty blob is valid; unknown and malformed hashes have no blob', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const { hash, size } = await store.writeBlob().finish();
    expect(size).toBe(0);
    expect(await store.readBlob(hash)).toHaveLength(0);
    expect(await store.readBlob('0'.repeat(64))).toBeUndefined();
    expect(await store.readBlob('../../etc/passwd')).toBeUndefined();
  });
}
