import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectStore } from '@klaus/adapters/objects';
import { createSnapshots, type LocalSnapshots } from '@klaus/adapters/workspace';
import { expect, test } from 'vitest';
import { createTemporaryHome } from '../../adapters/store/fixtures/temporary-home.ts';
import { archiveSnapshots } from './archived-snapshots.ts';

/** Objects in memory. */
function createObjects(): ObjectStore {
  const objects = new Map<string, Uint8Array>();
  const toBytes = (body: unknown): Uint8Array => {
    if (body instanceof Uint8Array) return Uint8Array.from(body);
    throw new Error('States are not files.');
  };
  return {
    async put(key, body) {
      const isNew = !objects.has(key);
      if (isNew) objects.set(key, toBytes(body));
      return isNew;
    },
    renew: async (key, body) => void objects.set(key, toBytes(body)),
    get: async (key) => objects.get(key),
    async stat(key) {
      const bytes = objects.get(key);
      return bytes && { key, size: bytes.length, writtenAt: Date.now() };
    },
    async *list() {},
    delete: async (key) => void objects.delete(key),
    close() {},
  };
}

test('a worker that makes a state which another one stored can still read the states before it', async () => {
  using folder = createTemporaryHome();
  const root = join(folder.path, 'work');
  mkdirSync(root);
  const objects = createObjects();
  const open = async (name: string): Promise<LocalSnapshots> =>
    await createSnapshots(root, { stateDir: join(folder.path, name) });
  using first = await open('first');
  using second = await open('second');
  const [one, two] = [first, second].map((local) => archiveSnapshots(local, { objects, root }));
  writeFileSync(join(root, 'a.txt'), 'old');
  const before = await one!.snapshot();
  writeFileSync(join(root, 'a.txt'), 'new');
  const after = await one!.snapshot();
  // The same files are the same state, and its first pack has content that this worker never had.
  expect(await two!.snapshot()).toBe(after);
  const entry = await two!.entry(before, 'a.txt');
  expect(Buffer.from(await two!.content(entry!)).toString()).toBe('old');
});
