import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectGarbage } from './collect-garbage.ts';
import { provideSeaweed, startS3Server, type S3Server } from './fixtures/s3-server.ts';
import { ObjectBlobs, toBlobKey } from './object-blobs.ts';
import type { ObjectStore } from './object-store.ts';
import { openS3 } from './s3-objects.ts';

const { program, reason } = provideSeaweed();

const toText = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString('utf8');
const toHash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const HOUR = 3_600_000;

/** Stores a file as soon as the server is there again. */
async function putUntil(objects: ObjectStore, body: { path: string; size: number }): Promise<boolean> {
  for (let left = 100; ; left--) {
    try {
      return await objects.put('restored', body);
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

describe.skipIf(reason !== undefined)(`S3${reason === undefined ? '' : `: ${reason}`}`, () => {
  let server: S3Server;
  const drafts = mkdtempSync(join(tmpdir(), 'klaus-drafts-'));
  beforeAll(async () => {
    server = await startS3Server(program!);
  }, 120_000);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    rmSync(drafts, { recursive: true });
  });
  const open = async (): Promise<ObjectStore> => await openS3(await server.createBucket());

  test('an object is stored once and never replaced', async () => {
    const objects = await open();
    expect(await objects.put('a/1', Buffer.from('first'))).toBe(true);
    expect(await objects.put('a/1', Buffer.from('second'))).toBe(false);
    expect(toText(await objects.get('a/1'))).toBe('first');
    expect(await objects.get('a/2')).toBeUndefined();
    expect(await objects.stat('a/2')).toBeUndefined();
    expect(await objects.stat('a/1')).toMatchObject({ key: 'a/1', size: 5 });
    objects.close();
  });

  test('of many writers of one key at the same time exactly one stores it', async () => {
    const objects = await open();
    const names = Array.from({ length: 12 }, (_, at) => `writer ${at}`);
    const stored = await Promise.all(names.map((name) => objects.put('one', Buffer.from(name))));
    expect(stored.filter(Boolean)).toHaveLength(1);
    expect(toText(await objects.get('one'))).toBe(names[stored.indexOf(true)]);
    objects.close();
  });

  test('a file of some megabytes comes back byte for byte', async () => {
    const objects = await open();
    const bytes = randomBytes(6_000_000);
    const path = join(drafts, 'large');
    writeFileSync(path, bytes);
    expect(await objects.put('large', { path, size: bytes.length })).toBe(true);
    expect(toHash((await objects.get('large'))!)).toBe(toHash(bytes));
    objects.close();
  });

  test('a list has the objects of a prefix in order, over several pages', { tags: ['long'] }, async () => {
    const options = await server.createBucket();
    const objects = await openS3({ ...options, prefix: 'team/' });
    const keys = Array.from({ length: 1_050 }, (_, at) => `many/${String(at).padStart(4, '0')}`);
    for (let at = 0; at < keys.length; at += 50) {
      await Promise.all(keys.slice(at, at + 50).map((key) => objects.put(key, Buffer.from(key))));
    }
    await objects.put('other', Buffer.from('other'));
    const found: string[] = [];
    for await (const { key } of objects.list('many/')) found.push(key);
    expect(found).toEqual(keys);
    await objects.delete('many/0000');
    await objects.delete('many/0000');
    expect(await objects.get('many/0000')).toBeUndefined();
    const outside = await openS3(options);
    expect(toText(await outside.get('team/other'))).toBe('other');
    objects.close();
    outside.close();
  });

  test('a missing bucket, wrong keys and a dead server lead to different errors', { tags: ['long'] }, async () => {
    const options = await server.createBucket();
    await expect(openS3({ ...options, bucket: 'missing' })).rejects.toMatchObject({ code: 'config' });
    const credentials = { accessKeyId: 'klaus-test', secretAccessKey: 'wrong' };
    await expect(openS3({ ...options, credentials })).rejects.toMatchObject({ code: 'config' });
    const objects = await openS3(options);
    await objects.put('kept', Buffer.from('kept'));
    await server.kill();
    await expect(objects.put('lost', Buffer.from('lost'))).rejects.toMatchObject({ code: 'store.busy' });
    await expect(objects.get('kept')).rejects.toMatchObject({ code: 'store.busy' });
    const path = join(drafts, 'restored');
    writeFileSync(path, 'restored');
    const [, stored] = await Promise.all([server.restart(), putUntil(objects, { path, size: 8 })]);
    expect(stored).toBe(true);
    expect(toText(await objects.get('kept'))).toBe('kept');
    expect(await objects.put('lost', Buffer.from('found'))).toBe(true);
    objects.close();
  });

  test('blobs are named by their bytes, stored once, and checked when they are read', async () => {
    const options = await server.createBucket();
    const objects = await openS3(options);
    const blobs = new ObjectBlobs(objects, { drafts });
    const write = async (...pieces: string[]) => {
      const writer = blobs.writer();
      for (const piece of pieces) writer.write(Buffer.from(piece));
      return await writer.finish();
    };
    const hash = toHash(Buffer.from('one two'));
    expect(await write('one ', 'two')).toEqual({ hash, size: 7 });
    expect(await write('one two')).toEqual({ hash, size: 7 });
    expect(toText(await blobs.read(hash))).toBe('one two');
    expect(await blobs.read('0'.repeat(64))).toBeUndefined();
    expect(await blobs.read('../../etc/passwd')).toBeUndefined();
    await objects.renew(toBlobKey(hash), Buffer.from('another'));
    await expect(blobs.read(hash)).rejects.toMatchObject({ code: 'store.corrupt' });
    const aborted = blobs.writer();
    aborted.write(Buffer.from('half'));
    aborted.abort();
    await expect(aborted.finish()).rejects.toBeInstanceOf(Error);
    expect(readdirSync(drafts).filter((name) => name.startsWith('klaus-blob-'))).toEqual([]);
    objects.close();
  });

  test('garbage is deleted after its time of grace, and what is used or written again stays', async () => {
    const objects = await open();
    for (const key of ['used', 'unused', 'renewed']) await objects.put(`blobs/${key}`, Buffer.from(key));
    await objects.put('snapshots/unused', Buffer.from('x'));
    const findUsed = async (keys: readonly string[]) => {
      // A writer stores the object again while the collection runs.
      await objects.renew('blobs/renewed', Buffer.from('renewed'));
      return new Set(keys.filter((key) => key === 'blobs/used'));
    };
    const options = { prefix: 'blobs/', findUsed, graceMs: HOUR };
    expect(await collectGarbage(objects, options)).toEqual({ seen: 3, deleted: 0, bytes: 0 });
    const { writtenAt } = (await objects.stat('blobs/unused'))!;
    await expect
      .poll(
        async () => {
          await objects.renew('blobs/renewed', Buffer.from('renewed'));
          return (await objects.stat('blobs/renewed'))!.writtenAt;
        },
        { timeout: 30_000 },
      )
      .toBeGreaterThan(writtenAt);
    const later = { ...options, graceMs: HOUR, now: () => writtenAt + HOUR };
    expect(await collectGarbage(objects, later)).toEqual({ seen: 3, deleted: 1, bytes: 6 });
    expect(await objects.get('blobs/unused')).toBeUndefined();
    expect(toText(await objects.get('blobs/used'))).toBe('used');
    expect(toText(await objects.get('blobs/renewed'))).toBe('renewed');
    expect(toText(await objects.get('snapshots/unused'))).toBe('x');
    objects.close();
  });

  test('a blob that exists for long is written again, so that a collection spares it', async () => {
    const objects = await open();
    const write = async (graceMs: number) => {
      const writer = new ObjectBlobs(objects, { drafts, graceMs }).writer();
      writer.write(Buffer.from('old'));
      return toBlobKey((await writer.finish()).hash);
    };
    const key = await write(HOUR);
    const first = (await objects.stat(key))!.writtenAt;
    await write(HOUR);
    expect((await objects.stat(key))!.writtenAt).toBe(first);
    await expect
      .poll(
        async () => {
          await write(0);
          return (await objects.stat(key))!.writtenAt;
        },
        { timeout: 30_000 },
      )
      .toBeGreaterThan(first);
    objects.close();
  });
});
