// Covers adapters/objects, adapters/workspace/snapshots: a workspace that moves to another machine through an object store.
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  archiveState,
  countKnown,
  findState,
  isBase,
  openS3,
  readPacks,
  type ObjectStore,
} from '@klaus/adapters/objects';
import { createSnapshots, type LocalSnapshots } from '@klaus/adapters/workspace';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { provideSeaweed, startS3Server, type S3Server } from '../../adapters/objects/fixtures/s3-server.ts';
import { createFolder, type Folder } from '../../adapters/workspace/snapshots/fixtures/folder.ts';
import { encodePack } from '../../adapters/workspace/snapshots/transfer/pack.ts';

const { program, reason } = provideSeaweed();
const WORKSPACE = 'project-1';

async function* once(...packs: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* packs;
}

async function collect(packs: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const pack of packs) all.push(pack);
  return all;
}

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** A worker: a folder with its snapshots. */
async function openWorker(): Promise<{ folder: Folder; snapshots: LocalSnapshots } & Disposable> {
  const folder = createFolder();
  const snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  return {
    folder,
    snapshots,
    [Symbol.dispose]() {
      snapshots.close();
      folder[Symbol.dispose]();
    },
  };
}

/** Makes the workspace of a worker equal to a state. */
async function restore(snapshots: LocalSnapshots, tree: string): Promise<void> {
  const result = await snapshots.apply(await snapshots.changes(await snapshots.snapshot(), tree));
  expect(result).toMatchObject({ applied: true });
}

function fill(folder: Folder): void {
  const { root } = folder;
  folder.write('.gitignore', 'out\n');
  folder.write('out/ignored.bin', randomBytes(50_000));
  folder.write('src/deep/er/file.ts', 'export const one = 1;\n');
  folder.write('ünïcødé \u{1F600}', 'u');
  folder.write('large.bin', randomBytes(9_000_000));
  folder.write('empty', '');
  folder.write('run.sh', '#!/bin/sh\n');
  chmodSync(join(root, 'run.sh'), 0o750);
  mkdirSync(join(root, 'nothing'), { mode: 0o700 });
  symlinkSync('src/deep', join(root, 'link'));
  symlinkSync('/nowhere', join(root, 'dangling'));
}

describe('packs of a state', () => {
  test('a state is the same after packs, with modes, links, ignored and large files', async () => {
    using from = await openWorker();
    using to = await openWorker();
    fill(from.folder);
    const tree = await from.snapshots.snapshot();
    await to.snapshots.unpack(from.snapshots.pack(tree), tree);
    expect(to.snapshots.has(tree)).toBe(true);
    await restore(to.snapshots, tree);
    expect(await to.snapshots.snapshot()).toBe(tree);
    const file = join(to.folder.root, 'large.bin');
    expect(sha256(readFileSync(file)).equals(sha256(readFileSync(join(from.folder.root, 'large.bin'))))).toBe(true);
    expect(statSync(join(to.folder.root, 'run.sh')).mode & 0o777).toBe(0o750);
  });

  test('an empty workspace has a state too', async () => {
    using from = await openWorker();
    using to = await openWorker();
    const tree = await from.snapshots.snapshot();
    await to.snapshots.unpack(from.snapshots.pack(tree), tree);
    expect(await to.snapshots.changes(await to.snapshots.snapshot(), tree)).toEqual([]);
  });

  test('an empty folder gets a state at once, and a folder with files never', async () => {
    using from = await openWorker();
    using to = await openWorker();
    fill(from.folder);
    chmodSync(join(from.folder.root, 'src/deep'), 0o550);
    const tree = await from.snapshots.snapshot();
    await to.snapshots.unpack(from.snapshots.pack(tree), tree);
    await to.snapshots.checkOut(tree);
    expect(await to.snapshots.snapshot()).toBe(tree);
    await expect(to.snapshots.checkOut(tree)).rejects.toMatchObject({ code: 'usage' });
    expect(await to.snapshots.snapshot()).toBe(tree);
    await expect(from.snapshots.checkOut('0'.repeat(64))).rejects.toMatchObject({ code: 'usage' });
  });

  test('the difference to a known state contains what changed only', { tags: ['long'] }, async () => {
    using from = await openWorker();
    using to = await openWorker();
    fill(from.folder);
    const first = await from.snapshots.snapshot();
    await to.snapshots.unpack(from.snapshots.pack(first), first);
    from.folder.write('src/deep/er/file.ts', 'export const one = 2;\n');
    rmSync(join(from.folder.root, 'run.sh'));
    const second = await from.snapshots.snapshot();
    const packs = await collect(from.snapshots.pack(second, first));
    expect(packs.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(5_000);
    await to.snapshots.unpack(once(...packs), second);
    await restore(to.snapshots, second);
    expect(await to.snapshots.snapshot()).toBe(second);
    using other = await openWorker();
    await expect(other.snapshots.unpack(once(...packs), second)).rejects.toMatchObject({ code: 'store.corrupt' });
  });

  test('damaged, incomplete and hostile packs are refused, and leave no state', async () => {
    using from = await openWorker();
    from.folder.write('a/b', 'content');
    const tree = await from.snapshots.snapshot();
    const packs = await collect(from.snapshots.pack(tree));
    const flipped = Buffer.from(packs[0]!);
    flipped[flipped.length - 6]! ^= 1;
    const content = Buffer.from('content');
    const piece = { kind: 'piece', hash: sha256(content), size: 0, bytes: content } as const;
    const toDirectory = (name: string) => {
      const bytes = Buffer.alloc(43 + Buffer.byteLength(name));
      bytes.writeUInt16BE(0o644, 1);
      bytes.writeUIntBE(content.length, 3, 6);
      piece.hash.copy(bytes, 9);
      bytes.writeUInt16BE(Buffer.byteLength(name), 41);
      bytes.write(name, 43);
      return { kind: 'directory', hash: sha256(bytes), size: 0, bytes } as const;
    };
    const toState = (hash: Buffer) =>
      ({ kind: 'state', hash, size: 0, bytes: Buffer.from('{"git":[],"uncovered":[]}') }) as const;
    const escaping = ['../escaped', '..', 'a/b', 'nul\0'].map((name) => toDirectory(name));
    const list = { kind: 'list', hash: sha256(Buffer.from('other')), size: 7, bytes: piece.hash } as const;
    const good = toDirectory('good');
    const cases: { packs: Uint8Array[]; tree: string }[] = [
      { packs: [flipped], tree },
      { packs: [packs[0]!.subarray(0, packs[0]!.length - 10)], tree },
      { packs: [Buffer.from('no pack')], tree },
      { packs: [], tree },
      { packs, tree: 'f'.repeat(64) },
      { packs: [await encodePack([good, toState(good.hash)])], tree: good.hash.toString('hex') },
      { packs: [await encodePack([piece, list, good])], tree: good.hash.toString('hex') },
      { packs: [await encodePack([{ ...piece, hash: sha256(Buffer.from('x')) }])], tree },
    ];
    for (const directory of escaping) {
      cases.push({
        packs: [await encodePack([piece, directory, toState(directory.hash)])],
        tree: directory.hash.toString('hex'),
      });
    }
    for (const one of cases) {
      using to = await openWorker();
      await expect(to.snapshots.unpack(once(...one.packs), one.tree)).rejects.toMatchObject({ code: 'store.corrupt' });
      await expect(to.snapshots.changes(one.tree, one.tree)).rejects.toMatchObject({ code: 'usage' });
    }
    using to = await openWorker();
    await to.snapshots.unpack(once(await encodePack([piece, good, toState(good.hash)])), good.hash.toString('hex'));
    await restore(to.snapshots, good.hash.toString('hex'));
    expect(readFileSync(join(to.folder.root, 'good'), 'utf8')).toBe('content');
  });
});

describe.skipIf(reason !== undefined)(`through S3${reason === undefined ? '' : `: ${reason}`}`, () => {
  let server: S3Server;
  let objects: ObjectStore;
  beforeAll(async () => {
    server = await startS3Server(program!);
    objects = await openS3(await server.createBucket());
  }, 120_000);
  afterAll(async () => {
    objects?.close();
    await server?.[Symbol.asyncDispose]();
  });

  test('a workspace continues on another worker, and comes back', async () => {
    using one = await openWorker();
    using two = await openWorker();
    const saved = { workspace: WORKSPACE, session: 'A' };
    fill(one.folder);
    const first = await one.snapshots.snapshot();
    expect(await findState(objects, { workspace: WORKSPACE, tree: first })).toBeUndefined();
    await archiveState(objects, { ...saved, fence: 1, tree: first, packs: one.snapshots.pack(first) });

    const begun = (await findState(objects, { workspace: WORKSPACE, tree: first }))!;
    expect(begun).toMatchObject({ session: 'A', fence: 1, tree: first });
    await two.snapshots.unpack(readPacks(objects, { workspace: WORKSPACE, state: begun }), first);
    await restore(two.snapshots, first);
    writeFileSync(join(two.folder.root, 'added.txt'), 'on the second worker');
    const second = await two.snapshots.snapshot();
    expect(isBase(begun)).toBe(true);
    const packs = two.snapshots.pack(second, first);
    const ended = await archiveState(objects, { ...saved, fence: 2, tree: second, base: begun, packs });
    expect(ended.packs.slice(0, begun.packs.length)).toEqual(begun.packs);
    expect(ended.bytes - begun.bytes).toBeLessThan(5_000);

    // The first worker has the first state, and reads the new packs only.
    const rest = await collect(
      readPacks(objects, {
        workspace: WORKSPACE,
        state: ended,
        skip: countKnown(ended, (id) => one.snapshots.has(id)),
      }),
    );
    expect(rest.length).toBe(ended.packs.length - begun.packs.length);
    await one.snapshots.unpack(once(...rest), second);
    await restore(one.snapshots, second);
    expect(readFileSync(join(one.folder.root, 'added.txt'), 'utf8')).toBe('on the second worker');
    expect(await one.snapshots.snapshot()).toBe(second);

    // Another worker stored it first: its packs count.
    const again = await archiveState(objects, { ...saved, fence: 3, tree: second, packs: one.snapshots.pack(second) });
    expect(again).toEqual(ended);
  });

  test('a pack that was changed in the bucket is refused', async () => {
    using one = await openWorker();
    using two = await openWorker();
    one.folder.write('file', 'content');
    const tree = await one.snapshots.snapshot();
    const workspace = 'project-2';
    const state = await archiveState(objects, {
      ...{ workspace, session: 'B', fence: 1, tree },
      packs: one.snapshots.pack(tree),
    });
    await objects.renew(`workspaces/${workspace}/packs/${state.packs[0]}`, Buffer.from('changed'));
    const packs = readPacks(objects, { workspace, state });
    await expect(two.snapshots.unpack(packs, tree)).rejects.toMatchObject({ code: 'store.corrupt' });
    await objects.renew(`workspaces/${workspace}/states/${tree}`, Buffer.from('{"version":1}'));
    await expect(findState(objects, { workspace, tree })).rejects.toMatchObject({ code: 'store.corrupt' });
  });
});
