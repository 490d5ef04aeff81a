import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFolder } from './fixtures/folder.ts';
import { createSnapshots } from './create-snapshots.ts';
import { listSnapshotStores } from './snapshot-stores.ts';

const MIB = 1_024 * 1_024;

test('large files beyond the limit are named and not stored, small ones always are', async () => {
  using folder = createFolder();
  const limits = { workspace: 30 * MIB, total: 0 };
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir, limits });
  writeFileSync(join(folder.root, 'first.bin'), randomBytes(17 * MIB));
  const before = await snapshots.snapshot();
  expect(snapshots.uncovered(before)).toEqual([]);
  writeFileSync(join(folder.root, 'second.bin'), randomBytes(17 * MIB));
  writeFileSync(join(folder.root, 'small.txt'), 'small\n');
  const after = await snapshots.snapshot();
  expect(snapshots.uncovered(after)).toEqual([{ path: 'second.bin', why: 'over the limit' }]);
  expect((await snapshots.changes(before, after)).map(({ path }) => path)).toEqual(['small.txt']);
  // A file whose content is stored already stays covered.
  expect(await snapshots.entry(after, 'first.bin')).toBeDefined();
});

test('a change in a large file stores only the chunks around it', async () => {
  using folder = createFolder();
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const content = randomBytes(32 * MIB);
  const file = join(folder.root, 'large.bin');
  writeFileSync(file, content);
  const before = await snapshots.snapshot();
  const size = (): number => listSnapshotStores(folder.stateDir)[0]!.bytes;
  const first = size();
  writeFileSync(
    file,
    Buffer.concat([content.subarray(0, 9_000_000), Buffer.from('inserted'), content.subarray(9_000_000)]),
  );
  const after = await snapshots.snapshot();
  expect(size() - first).toBeLessThan(12 * MIB);
  const done = await snapshots.apply(await snapshots.changes(after, before));
  expect(done).toMatchObject({ applied: true });
  const entry = (await snapshots.entry(before, 'large.bin'))!;
  expect(Buffer.from(await snapshots.content(entry)).equals(content)).toBe(true);
});
