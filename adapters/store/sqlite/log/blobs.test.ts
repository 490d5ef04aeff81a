import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { createSqliteStore } from '../sqlite-store.ts';

test('a blob written in pieces is found by the hash of its bytes, privately, also by another process', async () => {
  using home = createTemporaryHome();
  const pieces = [Buffer.from('one '), Buffer.alloc(200_000, 7), Buffer.from([0, 255])];
  const all = Buffer.concat(pieces);
  const hash = createHash('sha256').update(all).digest('hex');
  {
    using store = createSqliteStore({ home: home.path });
    const writer = store.writeBlob();
    for (const piece of pieces) writer.write(piece);
    expect(await writer.finish()).toEqual({ hash, size: all.length });
  }
  using store = createSqliteStore({ home: home.path });
  expect(Buffer.from((await store.readBlob(hash))!).equals(all)).toBe(true);
  const path = join(home.path, 'blobs', hash.slice(0, 2), hash);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(home.path, 'blobs')).mode & 0o777).toBe(0o700);
});

test('an aborted blob leaves no file', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const write = async (text: string) => {
    const writer = store.writeBlob();
    writer.write(Buffer.from(text));
    return writer.finish();
  };
  expect(await write('same')).toEqual(await write('same'));
  const given = store.writeBlob();
  given.write(Buffer.from('half'));
  given.abort();
  given.abort();
  await expect(given.finish()).rejects.toBeInstanceOf(Error);
  expect(await store.stats()).toMatchObject({ blobs: 1, bytes: { blobs: 4 } });
  expect(readdirSync(join(home.path, 'blobs'))).toHaveLength(1);
});

test('a blob with changed bytes is refused', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const writer = store.writeBlob();
  writer.write(Buffer.from('true'));
  const { hash } = await writer.finish();
  writeFileSync(join(home.path, 'blobs', hash.slice(0, 2), hash), 'false');
  await expect(store.readBlob(hash)).rejects.toThrow(expect.objectContaining({ code: 'store.corrupt' }));
});

test.each([
  ['a link to the same bytes', (path: string, other: string) => symlinkSync(other, path)],
  ['a named pipe', (path: string) => void execFileSync('mkfifo', [path])],
])('%s in the place of a blob is refused', async (_, plant) => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const writer = store.writeBlob();
  writer.write(Buffer.from('true'));
  const { hash } = await writer.finish();
  const path = join(home.path, 'blobs', hash.slice(0, 2), hash);
  const other = join(home.path, 'other');
  writeFileSync(other, 'true');
  rmSync(path);
  plant(path, other);
  await expect(store.readBlob(hash)).rejects.toThrow(expect.objectContaining({ code: 'store.corrupt' }));
});
