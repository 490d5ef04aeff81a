import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSnapshots, listSnapshotStores } from '../index.ts';
import { createFolder } from './fixtures/folder.ts';

/** Makes all stored data two hours older. */
function age(stateDir: string): void {
  const [store] = listSnapshotStores(stateDir);
  const database = new DatabaseSync(join(store!.folder, 'snapshots.db'));
  database.exec(
    'UPDATE objects SET made = made - 7200; UPDATE trees SET made = made - 7200; UPDATE states SET at = at - 7200',
  );
  database.close();
}

test('another process uses the same states, and a small change writes little', async () => {
  using folder = createFolder();
  for (let i = 0; i < 500; i++) folder.write(`d${i % 20}/f${i}`, `${i} `.repeat(500));
  let before: string;
  {
    using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
    before = await snapshots.snapshot();
  }
  expect(statSync(folder.stateDir).mode & 0o777).toBe(0o700);
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  expect(snapshots.has(before)).toBe(true);
  expect(await snapshots.snapshot()).toBe(before);
  folder.write('d3/f3', 'changed');
  const after = await snapshots.snapshot();
  const database = new DatabaseSync(join(listSnapshotStores(folder.stateDir)[0]!.folder, 'snapshots.db'));
  // Only the folder and the root have new objects, in addition to the 20 and the root of the first state.
  expect(database.prepare('SELECT count(*) AS count FROM trees').get()).toEqual({ count: 21 + 2 });
  database.close();
  expect(await snapshots.changes(before, after)).toHaveLength(1);
});

test('two processes take snapshots of one workspace at the same time', { tags: ['long'] }, async () => {
  using folder = createFolder();
  for (let i = 0; i < 800; i++) folder.write(`d${i % 20}/f${i}`, `${i} `.repeat(200));
  const program = join(import.meta.dirname, 'fixtures/snapshot-process.ts');
  const children = [1, 2, 3].map(() => spawn(process.execPath, [program, folder.root, folder.stateDir]));
  const outputs = await Promise.all(
    children.map(async (child) => {
      let text = '';
      child.stdout.on('data', (data) => (text += String(data)));
      child.stderr.on('data', (data) => (text += String(data)));
      await once(child, 'close');
      return text.trim();
    }),
  );
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const tree = await snapshots.snapshot();
  expect(outputs).toEqual([tree, tree, tree]);
  const row = (await snapshots.entry(tree, 'd3/f23'))!;
  expect(Buffer.from(await snapshots.content(row)).toString()).toBe('23 '.repeat(200));
});

test('garbage collection reports and removes unused data and keeps the rest', async () => {
  using folder = createFolder();
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  folder.write('kept', randomBytes(300_000));
  folder.write('old', randomBytes(3_000_000));
  const old = await snapshots.snapshot();
  const keptHash = (await snapshots.entry(old, 'kept'))!;
  const kept = await snapshots.content(keptHash);
  folder.write('old', randomBytes(2_000_000));
  const middle = await snapshots.snapshot();
  folder.write('old', 'now');
  const now = await snapshots.snapshot();
  expect(await snapshots.gc({ keep: [] })).toMatchObject({ states: 0, objects: 0, bytes: 0 });
  age(folder.stateDir);
  const size = () => listSnapshotStores(folder.stateDir)[0]!.bytes;
  const before = size();
  const said = await snapshots.gc({ keep: [middle], dryRun: true });
  expect(said.states).toBe(1);
  expect(said.bytes).toBeGreaterThan(2_900_000);
  expect(snapshots.has(old)).toBe(true);
  expect(await snapshots.gc({ keep: [middle] })).toEqual(said);
  expect(snapshots.has(old)).toBe(false);
  expect(size()).toBeLessThan(before - 2_500_000);
  await expect(snapshots.changes(old, now)).rejects.toMatchObject({ code: 'usage' });
  expect(snapshots.has(middle) && snapshots.has(now)).toBe(true);
  expect(Buffer.from(await snapshots.content(keptHash)).equals(kept)).toBe(true);
  expect((await snapshots.content((await snapshots.entry(middle, 'old'))!)).length).toBe(2_000_000);
  expect(await snapshots.apply(await snapshots.changes(now, middle))).toMatchObject({ applied: true });
  expect(await snapshots.snapshot()).toBe(middle);
});

test('every workspace with snapshots is listed, with its size', async () => {
  using folder = createFolder();
  using other = createFolder();
  other.write('file', 'x');
  for (const root of [folder.root, other.root]) {
    using snapshots = await createSnapshots(root, { stateDir: folder.stateDir });
    await snapshots.snapshot();
  }
  const stores = listSnapshotStores(folder.stateDir);
  expect(stores.map(({ root }) => root)).toEqual([folder.root, other.root].toSorted());
  expect(stores.every(({ bytes }) => bytes > 0)).toBe(true);
  expect(listSnapshotStores(join(folder.base, 'nothing'))).toEqual([]);
});

test('content that was modified on the disk is detected and never returned', async () => {
  using folder = createFolder();
  folder.write('file', randomBytes(2_000_000));
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const entry = (await snapshots.entry(await snapshots.snapshot(), 'file'))!;
  const packs = join(listSnapshotStores(folder.stateDir)[0]!.folder, 'packs');
  const pack = join(packs, readdirSync(packs)[0]!);
  const bytes = readFileSync(pack);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(pack, bytes);
  await expect(snapshots.content(entry)).rejects.toMatchObject({ code: 'store.corrupt' });
});

/** A separate filesystem in memory; undefined if this process may not mount one. */
function mountSmallDisk(): (Disposable & { path: string; grow(): void }) | undefined {
  const path = mkdtempSync(join(tmpdir(), 'klaus-disk-'));
  const mount = (...words: string[]) => spawnSync('mount', words, { stdio: 'ignore' }).status === 0;
  if (!mount('-t', 'tmpfs', '-o', 'size=4m', 'klaus-test', path)) {
    rmdirSync(path);
    return undefined;
  }
  return {
    path,
    grow() {
      if (!mount('-o', 'remount,size=64m', path)) throw new Error('cannot remount');
    },
    [Symbol.dispose]() {
      spawnSync('umount', [path]);
      rmdirSync(path);
    },
  };
}

const canMount = (() => {
  using disk = mountSmallDisk();
  return disk !== undefined;
})();

test.skipIf(!canMount)('a full disk stops the snapshot and not the store (needs the right to mount)', async () => {
  using disk = mountSmallDisk()!;
  using folder = createFolder();
  folder.write('small', 'x');
  const stateDir = join(disk.path, 'snapshots');
  mkdirSync(stateDir);
  using snapshots = await createSnapshots(folder.root, { stateDir });
  const first = await snapshots.snapshot();
  folder.write('large', randomBytes(10_000_000));
  await expect(snapshots.snapshot()).rejects.toMatchObject({ code: 'store.full' });
  expect(snapshots.has(first)).toBe(true);
  folder.write('small', 'y');
  const row = (await snapshots.entry(first, 'small'))!;
  expect(Buffer.from(await snapshots.content(row)).toString()).toBe('x');
  disk.grow();
  const second = await snapshots.snapshot();
  expect(await snapshots.changes(first, second)).toHaveLength(2);
  expect((await snapshots.content((await snapshots.entry(second, 'large'))!)).length).toBe(10_000_000);
});

test.skipIf(!canMount)('other filesystems are not entered (needs the right to mount)', async () => {
  using folder = createFolder();
  using disk = mountSmallDisk()!;
  mkdirSync(join(folder.root, 'below'));
  writeFileSync(join(disk.path, 'file'), 'x');
  spawnSync('mount', ['--bind', disk.path, join(folder.root, 'below')]);
  try {
    using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
    const tree = await snapshots.snapshot();
    expect(snapshots.uncovered(tree)).toEqual([{ path: 'below', why: 'other filesystem' }]);
    expect(await snapshots.entry(tree, 'below/file')).toBeUndefined();
  } finally {
    spawnSync('umount', [join(folder.root, 'below')]);
  }
});
